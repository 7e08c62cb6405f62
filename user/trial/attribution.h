// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which losses fall to stalls, and not to the rate that was asked for.
//
// A stall is one only where more than burst_allowed queries were overdue at once, of all senders
// together. A stall costs what was sent from its beginning until its end, and what was sent behind
// it as long as queries go on failing: until none has failed for as long as anybody stood still,
// and no longer than backlog_factor times that. A server with a twentieth of its capacity to spare
// has served the backlog by then. A reply is late for a stall's sake, too, where its timeout ended
// in that time. Where Tester and server stood still together, the whole machine may have done so:
// then any query that was outstanding may be lost for the stall's sake.
#pragma once

#include "engine/miss_book.h"
#include "result/stalls.h"
#include "units/rate.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace dnsgauge
{

inline constexpr std::int64_t backlog_factor = 20;
// A kernel may take this long to bring a server what has arrived. What fails so soon behind a stall
// counts as the stall's, however short the stall was.
inline constexpr Nanoseconds backlog_least = std::chrono::milliseconds(1);

struct StallTerms {
    Nanoseconds limit{}; // see stall_limit()
    Nanoseconds duration{};
    Nanoseconds timeout{};
};

// Returns what the stalls cost. A query that failed in the reach of several stalls fell to the
// Tester's, if one of them is the Tester's. `due_before` returns how many queries were due before a
// time from the start of the schedule.
[[nodiscard]] StallSummary attribute(std::vector<Stall> stalls, const MissTally &misses,
                                     const StallTerms &terms,
                                     const std::function<std::uint64_t(Nanoseconds)> &due_before);

} // namespace dnsgauge
