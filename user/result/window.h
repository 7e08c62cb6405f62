// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A window: a closed loop, in which a query leaves when another one is answered or times out.
#pragma once

#include "units/rate.h"

#include <cstdint>

namespace dnsgauge
{

// The tally of a sender's window. Tallies of several senders can be added up.
struct WindowTally {
    std::uint64_t places = 0;
    Nanoseconds open{}; // for which places had an open query: the sum of all places
    Nanoseconds ran{};  // of a sender; of several senders, the longest time
};

struct WindowSummary {
    std::uint64_t places = 0; // of all senders together
    double answered_rate = 0; // valid queries per second
    // Mean number of open queries, by the times at which places were taken and freed.
    double mean_open = 0;
    double mean_open_by_rtt = 0; // the same by Little's law: queries per second times RTT
};

} // namespace dnsgauge
