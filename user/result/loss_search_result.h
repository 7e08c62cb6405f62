// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a Multiple Loss Ratio Search (RFC 9971): plain values, which all rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/trial_log.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What was found for one loss ratio.
struct LossBounds {
    double loss_percent = 0; // the most that a good trial loses
    // The highest rate that is a lower bound. Nothing: even the lowest rate is an upper bound, or
    // the search did not come so far.
    std::optional<Rate> lower;
    // The least rate that is an upper bound. Nothing: the highest rate is a lower bound, or the
    // search did not come so far.
    std::optional<Rate> upper;
    double conditional_throughput = 0; // answers per second at the lower bound; 0 without one
};

// A trial as the search keeps it.
struct LossStep {
    Rate rate;
    Nanoseconds duration{};
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    unsigned goal = 1; // that asked for the trial: its place in `goals`, from 1
};

struct LossSearchResult : TrialLog {
    std::string server;
    Rate min_rate;
    Rate max_rate;
    double exceed_percent = 0; // of a load's trial time that bad trials may take
    double width_percent = 0;  // that an upper bound is above its lower bound, at most
    Nanoseconds first_duration{};
    Nanoseconds duration{};
    Nanoseconds duration_sum{};
    Nanoseconds timeout{};
    Caveats caveats;

    std::vector<LossBounds> goals;
    std::vector<LossStep> steps; // in the order in which they were made, without invalid trials
    TrialsEnd end = TrialsEnd::complete;
};

} // namespace dnsgauge
