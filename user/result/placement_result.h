// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the queues and CPUs of a machine handled, and where the CPUs are: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Where a CPU is. CPUs with the same number of a part share that part. The CPU and the memory node
// have the kernel's numbers, the other parts hwloc's logical ones.
struct CpuPlace {
    unsigned cpu = 0;
    unsigned socket = 0;
    unsigned core = 0;
    std::optional<unsigned> l2;
    std::optional<unsigned> l3;
    std::optional<unsigned> node;
    bool operator==(const CpuPlace &) const = default;
};

// A CPU's counts, which are of all interfaces together.
struct CpuHandled {
    std::uint64_t net_rx = 0;     // softirqs for receiving (/proc/softirqs)
    std::uint64_t net_tx = 0;     // for sending
    std::uint64_t processed = 0;  // packets (/proc/net/softnet_stat)
    std::uint64_t dropped = 0;    // for want of room in the CPU's queue
    std::uint64_t squeezed = 0;   // times that packets were left when the softirq's time was over
    std::uint64_t interrupts = 0; // of the interface's queues
    bool operator==(const CpuHandled &) const = default;
};

struct QueueHandled {
    std::uint64_t packets = 0;    // as the driver counts
    std::uint64_t interrupts = 0; // of both directions if they share one
    bool has_packets = false;     // the driver counts packets by queue
    bool operator==(const QueueHandled &) const = default;
};

struct Handled {
    std::map<unsigned, CpuHandled> cpus{};
    std::map<std::string, QueueHandled> queues{}; // by "rx-0", "tx-3"
    bool operator==(const Handled &) const = default;
};

// Returns the growth of the counts. A count that shrank was reset, so its growth is `after`.
[[nodiscard]] Handled grown(const Handled &before, const Handled &after);

// Returns the sentences that a reader of a result must know: queues that got nothing while others
// were busy.
[[nodiscard]] std::vector<std::string> handled_notes(const Handled &grown);

// A machine during a measurement.
struct PlacementResult {
    Handled handled{};                   // meanwhile
    std::vector<std::string> notes{};    // handled_notes()
    std::optional<unsigned> card_node{}; // the memory node next to the card; missing if unknown
    std::string interrupts{};            // "eth2-TxRx-0: 7, eth2-TxRx-1: 7": the CPUs of each
    std::vector<CpuPlace> places{};
    bool operator==(const PlacementResult &) const = default;
};

// Adds what was handled while more was measured on the same machine.
void add(std::optional<PlacementResult> &sum, const PlacementResult &more);

} // namespace dnsgauge
