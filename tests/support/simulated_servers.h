// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated servers, for tests of searches: the share of its queries that a trial loses is known,
// and so is the highest rate that a server keeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace dnsgauge::testing
{

using Random = std::mt19937_64;

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
    constexpr double many = 1e5; // of which the normal distribution tells as much
    if (mean <= 0)
        return 0;
    if (mean < many)
        return static_cast<double>(std::poisson_distribution<std::int64_t>(mean)(random));
    return std::round(std::normal_distribution<>(mean, std::sqrt(mean))(random));
}

} // namespace dnsgauge::testing
