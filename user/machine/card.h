// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The interrupts of a network card's queues, and the packets that each queue and each CPU has
// handled, by the kernel's own counters; what a device lacks for zero-copy AF_XDP.
#pragma once

#include "machine/interface.h"
#include "result/placement_result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// What an interrupt's name tells about its queue. The kinds are ordered by what they tell about
// sending, the best first.
enum class QueueDirection { transmit, both, receive };

struct QueueInterrupt {
    unsigned number = 0; // /proc/irq/NUMBER
    std::string name;    // "virtio2-input.0", "eth0-TxRx-3"
    unsigned queue = 0;
    QueueDirection direction = QueueDirection::both;
    std::vector<std::uint64_t> counts; // handled so far, by CPU, in the order of the kernel's list
};

// Returns the interrupts of the interface's queues, by queue; none if the interface has no device.
// Leaves out interrupts that belong to no queue (a card's link, its mailbox).
[[nodiscard]] std::vector<QueueInterrupt> queue_interrupts(const std::string &interface,
                                                           const std::filesystem::path &root);

// Returns a CPU that handles the interrupt of each transmit queue, by queue. If a queue has several
// interrupts, an interrupt for sending alone comes first ("virtio2-output.0", "eth0-tx-0"), then an
// interrupt for both ways ("eth0-TxRx-0", "eth0-0"), then an interrupt for receiving.
[[nodiscard]] std::map<unsigned, unsigned> transmit_queue_cpus(const std::string &interface,
                                                               const std::filesystem::path &root);

// Returns the memory node next to the interface's card; nothing if there is no card, or if the
// kernel does not know.
[[nodiscard]] std::optional<unsigned> card_node(const std::string &interface,
                                                const std::filesystem::path &root);

// Returns the CPUs that may handle each of these interrupts: "eth2-TxRx-0: 7, eth2-TxRx-1: 0-3".
[[nodiscard]] std::string interrupt_cpus(const std::string &interface,
                                         const std::filesystem::path &root);

// Returns the names of the interface's queues of one way ("rx" or "tx"), by number: "rx-0".
[[nodiscard]] std::vector<std::string> queue_names(const std::string &interface,
                                                   const std::string &direction,
                                                   const std::filesystem::path &root);

// Returns the queue whose packets the driver's counter of this name counts, such as "rx-3" for
// "rx_queue_3_packets"; empty if it counts something else.
[[nodiscard]] std::string queue_counted_by(const std::string &name);

// Returns the counts since the machine's start. `driver` has the driver's counters of the interface
// by their own names.
[[nodiscard]] Handled read_handled(const std::string &interface,
                                   const std::map<std::string, std::uint64_t> &driver,
                                   const std::filesystem::path &root);

// Returns why a device refuses its driver's zero-copy AF_XDP, as the end of "the driver has it,
// but"; empty if no reason is known. `virtio_features` has a digit for each feature that driver and
// device agreed on; empty if unknown.
[[nodiscard]] std::string zero_copy_obstacle(std::string_view driver,
                                             std::string_view virtio_features);

// Returns the same for an interface. The /sys below `root` tells its features.
[[nodiscard]] std::string zero_copy_obstacle(const Interface &interface,
                                             const std::filesystem::path &root);

// Throws SetupError if zero_copy_obstacle() knows a reason.
void refuse_obstacle_to_zero_copy(const Interface &interface);

} // namespace dnsgauge
