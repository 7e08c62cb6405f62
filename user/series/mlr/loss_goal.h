// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A goal of a Multiple Loss Ratio Search (RFC 9971): what a load must do to count as sustained.
#pragma once

#include "units/rate.h"

namespace dnsgauge
{

struct LossGoal {
    double loss_ratio = 0;   // 0 to below 1: a trial that loses more is a bad trial
    double exceed_ratio = 0; // 0 to below 1: the share of bad trials' time that a load may have
    double width = 0.005;    // above 0: the upper bound is at most this share above the lower bound
    Nanoseconds initial_duration{}; // of the shortest trials, which only show where to look
    Nanoseconds final_duration{};   // of the trials that decide: initial_duration or longer
    Nanoseconds duration_sum{};     // of the trials that decide about a load: one trial's or longer
};

// What a trial said about its load.
struct LossTrial {
    Rate load;
    Nanoseconds duration{}; // as it was intended
    double loss_ratio = 0;  // queries without a valid answer, as a share of the queries sent
};

} // namespace dnsgauge
