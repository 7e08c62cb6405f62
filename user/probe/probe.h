// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Follows the queries over UDP to a server of this machine (bpf/probe.bpf.c).
#pragma once

#include "host/skeleton.h"
#include "host/xdp_link.h"
#include "machine/counters.h"
#include "machine/listeners.h"
#include "probe/probe_log.h"
#include "probe/probe_witness.h"
#include "probe/tracepoints.h"
#include "result/probe_result.h"
#include "system/unique_fd.h"
#include "units/rate.h"

#include "probe_abi.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct probe; // bpftool's skeleton

namespace dnsgauge
{

// Where queries arrive.
struct ProbePlace {
    std::string interface;
    unsigned index = 0;                           // the interface's number, in its namespace
    std::uint64_t network_namespace = 0;          // by the number of /proc/PID/ns/net
    std::filesystem::path net = "/proc/self/net"; // of a process in this namespace
    std::uint16_t port = 53;
    double share_percent = 100;       // of the queries, chosen at random, that are followed
    std::optional<std::string> log{}; // a file with a line for each query
    // The timeout of the trial whose queries these are; nothing if no trial sends them. With a
    // timeout the probe has a witness. It tells of all queries if the trial logs each query,
    // otherwise of late queries.
    std::optional<Nanoseconds> timeout{};
    bool has_log_of_trial = false;
    // Whether an XDP program stamps the queries before the network stack has them.
    bool first_sight = false;
};

class Probe
{
public:
    // Loads and attaches the programs that the kernel has tracepoints for. Throws UnsupportedError
    // if these programs cannot follow a query. Throws SetupError, also if the place wants a first
    // sight and the interface has an XDP program or a driver without native XDP.
    explicit Probe(const ProbePlace &place);
    ~Probe();

    // Makes the probe follow queries that arrive at `start` (CLOCK_MONOTONIC) or later. It follows
    // none until this call.
    void begin(Nanoseconds start);
    // Makes the probe follow no query that arrives later.
    void end();
    // Returns what tells of each query of the trial; null if the place has no trial.
    [[nodiscard]] QueryWitness *witness() const { return witness_.get(); }
    // Returns what became of the queries. Call after end(). Throws SetupError if the log could not
    // be written in full.
    [[nodiscard]] ProbeResult result();

private:
    void visit_interface();
    void follow(std::uint64_t from, std::uint64_t until) const;

    ProbePlace place_;
    Tracepoints tracepoints_;
    Skeleton<::probe> skeleton_;
    std::vector<UniqueFd> links_;
    std::optional<XdpLink> first_sight_;
    std::function<CounterValues()> counters_; // empty if this process may not read them
    CounterValues before_{};
    CounterValues interface_drops_{};
    std::optional<ProbeLog> log_;
    std::unique_ptr<ProbeWitness> witness_;
    std::uint64_t from_ = 0;
    std::uint64_t until_ = 0;
    std::vector<ServerSocket> udp_sockets_; // of the namespace, at the end
};

} // namespace dnsgauge
