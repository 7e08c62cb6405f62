// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/welch.h"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <cmath>

namespace dnsgauge
{

std::optional<DifferenceInterval> welch_interval(std::span<const double> a,
                                                 std::span<const double> b, double confidence)
{
    namespace statistics = boost::math::statistics;
    if (a.size() < 2 || b.size() < 2)
        return std::nullopt;
    const auto count_a = static_cast<double>(a.size());
    const auto count_b = static_cast<double>(b.size());
    const double part_a = statistics::sample_variance(a.begin(), a.end()) / count_a;
    const double part_b = statistics::sample_variance(b.begin(), b.end()) / count_b;
    const double difference =
        statistics::mean(b.begin(), b.end()) - statistics::mean(a.begin(), a.end());
    const double squared = part_a + part_b;
    if (squared == 0)
        return DifferenceInterval{difference, difference};
    const double freedom =
        squared * squared / (part_a * part_a / (count_a - 1) + part_b * part_b / (count_b - 1));
    const boost::math::students_t distribution(freedom);
    const double half =
        boost::math::quantile(distribution, (1 + confidence) / 2) * std::sqrt(squared);
    return DifferenceInterval{difference - half, difference + half};
}

} // namespace dnsgauge
