// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What one Tester measured in its part of a trial, before it is judged.
#pragma once

#include "engine/tally.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What the engine of one transport of several counted.
struct TransportTally {
    Transport transport{};
    std::uint64_t planned = 0; // queries
    Tally tally;
};

struct Measurement {
    std::string server; // its address
    RunPath path;
    Tally tally;
    std::vector<TransportTally> by_transport{}; // if there are several
    OwnLosses losses;
    RunFaults faults;                          // besides those in the tally
    std::vector<std::string> doubts;           // what changed around the Tester
    std::vector<CpuUse> cpus;                  // of the Tester's machine
    Nanoseconds stall_limit{};                 // standing still for longer is a stall
    std::vector<Stall> server_stalls;          // of the server's CPUs, if it runs on that machine
    std::vector<std::uint64_t> server_drops{}; // see TrialResult
    std::optional<PlacementResult> placement;  // of that machine
    std::optional<ProbeResult> probe{};        // of the server on that machine
    Circumstances circumstances;
    unsigned wire_overhead = 0;      // octets that a reply's packet adds to the message on the wire
    bool keeps_client_ports = false; // of captures: each query left from its client's port
    std::string clients_in;          // of captures: the clients' prefix, if any
    // When sending began, and when no reply could count any more: see TrialResult.
    Nanoseconds since{};
    Nanoseconds until{};
};

// One Tester's part of a trial.
struct TesterPart {
    std::uint32_t rank = 0; // the Tester's number, from 0
    std::string host;
    std::string machine;   // the same for Testers that share CPUs; empty if unknown
    ClockComparison clock; // with the Tester of rank 0
    // The Tester was still at work long after the first Tester, which then told it to stop.
    bool was_told_to_stop = false;
    // Missing if the Tester sent no measurement in time.
    std::optional<Measurement> measured;
};

} // namespace dnsgauge
