// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tells losses that stalls cost from losses at the rate that was asked for.
//
// Only a time in which more than burst_allowed queries of all senders were overdue at once is a
// stall. A stall costs the queries sent during it, and the queries sent after it while queries go
// on failing. This ends once no query has failed for as long as the stall took, and after
// backlog_factor times the stall at the latest. A server with a twentieth of its capacity to spare
// has served the backlog by then. A late reply whose timeout ended in that time is a stall's cost,
// too. If Tester and server stood still together, the whole machine may have done so: then any
// outstanding query may be lost because of the stall. If a connection goes silent because of a
// stall, the reach goes on until the connection's end.
#pragma once

#include "engine/miss_book.h"
#include "result/stalls.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include "absence_clock_abi.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace dnsgauge
{

inline constexpr std::int64_t backlog_factor = 20;
// A kernel may take this long to hand a server what has arrived. A query that fails so soon after a
// stall counts as the stall's cost, however short the stall was.
inline constexpr Nanoseconds backlog_least = std::chrono::milliseconds(1);

struct StallTerms {
    Nanoseconds limit{}; // see stall_limit()
    Nanoseconds duration{};
    Nanoseconds timeout{};
};

// Returns what the stalls cost. A query that failed in the reach of several stalls counts as the
// Tester's if one of them is the Tester's. `due_before` returns how many queries were due before a
// time from the start of the schedule.
[[nodiscard]] StallSummary attribute(std::vector<Stall> stalls, const MissTally &misses,
                                     const StallTerms &terms,
                                     const std::function<std::uint64_t(Nanoseconds)> &due_before,
                                     std::vector<Silence> silences = {});

// Returns the absences by a schedule that starts at `start` (CLOCK_MONOTONIC), in the order of
// their beginnings. Leaves out absences that ended before the start.
[[nodiscard]] std::vector<Stall> server_stalls(const std::vector<absence> &absences,
                                               Nanoseconds start);

// Merges stalls that overlap: several Testers on a machine note the same absence, and a server may
// miss several CPUs at once.
[[nodiscard]] std::vector<Stall> unite_overlapping(std::vector<Stall> stalls);

// Sets the longest absence of each CPU that ran the server.
void take_longest(std::vector<CpuUse> &cpus, const std::map<unsigned, absence> &longest);

} // namespace dnsgauge
