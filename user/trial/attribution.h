// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which losses fall to stalls, and not to the rate that was asked for.
//
// A stall costs what was sent from its beginning until its end, and what was sent behind it as long
// as queries go on failing: until none has failed for as long as anybody stood still, and no longer
// than backlog_factor times that. A server with a twentieth of its capacity to spare has served the
// backlog by then.
#pragma once

#include "engine/miss_book.h"
#include "result/stalls.h"
#include "units/rate.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace dnsgauge
{

inline constexpr std::int64_t backlog_factor = 20;

// Returns what the stalls longer than `limit` cost. A query that failed in the reach of several
// stalls fell to the Tester's, if one of them is the Tester's. `due_before` returns how many
// queries were due before a time from the start of the schedule.
[[nodiscard]] StallSummary attribute(std::vector<Stall> stalls, const MissTally &misses,
                                     Nanoseconds limit,
                                     const std::function<std::uint64_t(Nanoseconds)> &due_before);

} // namespace dnsgauge
