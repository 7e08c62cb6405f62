// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated servers, for tests of searches: the share of its queries that a trial loses is known,
// and so is the highest rate that a server keeps. What searches look for: goals().
#pragma once

#include "series/mlr/loss_ratio_search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace dnsgauge::testing
{

using Random = std::mt19937_64;

// The loss ratios that searches have for goals.
constexpr std::array<double, 4> loss_ratios = {0, 0.0001, 0.001, 0.01};

// Returns a goal for each of them, whose interval is so wide, as a share of its lower end.
inline std::vector<LossGoal> goals(double width)
{
    std::vector<LossGoal> goals;
    for (const double ratio : loss_ratios)
        goals.push_back({.loss_ratio = ratio,
                         .exceed_ratio = 0.5,
                         .width = width,
                         .initial_duration = std::chrono::seconds(1),
                         .final_duration = std::chrono::seconds(60),
                         .duration_sum = std::chrono::seconds(120)});
    return goals;
}

// Returns the share of queries lost by a server that answers as many queries a second as it can.
inline double hard_limit(double load, double capacity)
{
    return load <= capacity ? 0 : 1 - capacity / load;
}

// Likewise by a server whose losses grow slowly from its capacity on: 5 % at a fifth above.
inline double soft_knee(double load, double capacity)
{
    return load <= capacity ? 0 : std::min(0.9, 0.05 * std::pow((load / capacity - 1) / 0.2, 2));
}

// Returns how many queries are lost where each is lost by chance, and `mean` are lost on average.
inline double draw_lost(double mean, Random &random)
{
    constexpr double many = 1e5; // from here on the normal distribution is as good
    if (mean <= 0)
        return 0;
    if (mean < many)
        return static_cast<double>(std::poisson_distribution<std::int64_t>(mean)(random));
    return std::round(std::normal_distribution<>(mean, std::sqrt(mean))(random));
}

} // namespace dnsgauge::testing
