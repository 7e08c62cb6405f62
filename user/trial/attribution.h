// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Separates losses that stalls caused from losses at the rate that was asked for.
//
// A stall is a time in which more than burst_allowed queries of all senders were overdue at once.
// Its reach begins with it and goes on after it while queries fail. The reach ends when no query
// has failed for as long as the stall took, and at the latest after backlog_factor times the stall.
// A server with a twentieth of its capacity to spare has served the backlog by then. If a
// connection goes silent in the reach, the reach lasts until the connection's end. The stall's
// costs are the failed queries that were sent in its reach, and late replies whose timeout ended
// there. If Tester and server stood still together, the whole machine may have stood still. Then
// all outstanding queries that failed are the stall's costs, too.
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
// A kernel may take this long to hand arrived queries to a server. So a query that fails this soon
// after a stall counts as its cost, however short the stall was.
inline constexpr Nanoseconds backlog_least = std::chrono::milliseconds(1);

struct StallTerms {
    Nanoseconds limit{}; // see stall_limit()
    Nanoseconds duration{};
    Nanoseconds timeout{};
};

// Returns what the stalls cost. If a query failed in the reach of several stalls, a stall of the
// Tester takes precedence over one of the server. `due_before` returns how many queries were due
// before a time from the start of the schedule.
[[nodiscard]] StallSummary attribute(std::vector<Stall> stalls, const MissTally &misses,
                                     const StallTerms &terms,
                                     const std::function<std::uint64_t(Nanoseconds)> &due_before,
                                     std::vector<Silence> silences = {});

// Returns the absences as stalls, in the order of their beginnings, by times from `start`
// (CLOCK_MONOTONIC). Leaves out absences that ended before it.
[[nodiscard]] std::vector<Stall> server_stalls(const std::vector<absence> &absences,
                                               Nanoseconds start);

// Merges stalls that overlap: several Testers on a machine note the same absence, and a server may
// miss several CPUs at once.
[[nodiscard]] std::vector<Stall> unite_overlapping(std::vector<Stall> stalls);

// Sets the longest absence of each CPU that ran the server.
void take_longest(std::vector<CpuUse> &cpus, const std::map<unsigned, absence> &longest);

} // namespace dnsgauge
