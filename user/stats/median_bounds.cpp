// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/median_bounds.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dnsgauge
{

namespace
{

// Returns the logarithm of the wealth after `above` of `count` bets were won: the integral of
// 2 (2p)^above (2(1-p))^(count-above) over p from 1/2 to 1.
double log_wealth(std::size_t above, std::size_t count)
{
    using boost::math::lgamma;
    const double won = static_cast<double>(above) + 1;
    const double lost = static_cast<double>(count - above) + 1;
    return (won + lost - 1) * std::log(2.0) + lgamma(won) + lgamma(lost) - lgamma(won + lost) +
           std::log(boost::math::ibetac(won, lost, 0.5));
}

// Raises `needed`, how many of `count` differences must lie on one side of a bound. It never falls
// from one count to the next. It is more than `count` if all of them are too few.
void raise(std::size_t &needed, std::size_t count, double error)
{
    while (needed <= count && log_wealth(needed, count) < -std::log(error))
        needed++;
}

} // namespace

std::size_t fewest_differences(double error)
{
    std::size_t count = 1;
    while (log_wealth(count, count) < -std::log(error))
        count++;
    return count;
}

MedianBounds::MedianBounds(double low_error, double high_error)
    : low_error_(low_error), high_error_(high_error)
{
}

void MedianBounds::add(double difference)
{
    sorted_.insert(std::ranges::upper_bound(sorted_, difference), difference);
    const std::size_t count = sorted_.size();
    raise(above_, count, low_error_);
    raise(below_, count, high_error_);
}

double MedianBounds::low() const
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return above_ <= sorted_.size() ? sorted_[sorted_.size() - above_] : -infinity;
}

double MedianBounds::high() const
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return below_ <= sorted_.size() ? sorted_[below_ - 1] : infinity;
}

} // namespace dnsgauge
