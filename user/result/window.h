// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A window: a closed loop, in which a query leaves when another one is answered or times out.
#pragma once

#include "units/rate.h"

#include <cstdint>

namespace dnsgauge
{

// What senders' windows did. Tallies of several senders add up.
struct WindowTally {
    std::uint64_t places = 0;
    Nanoseconds open{}; // of all places together: with an open query
    Nanoseconds ran{};  // of a sender; of several senders, the longest time
};

struct WindowSummary {
    std::uint64_t places = 0;    // of all senders together
    double answered_rate = 0;    // valid queries per second
    double mean_open = 0;        // queries, by the times at which places were taken and freed
    double mean_open_by_rtt = 0; // the same by Little's law: queries per second times their time
};

} // namespace dnsgauge
