// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/welch.h"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dnsgauge
{

namespace
{

namespace statistics = boost::math::statistics;

using Counts = std::span<const CountedShare>;

std::vector<double> shares_of(Counts runs)
{
    std::vector<double> shares;
    for (const CountedShare &run : runs)
        shares.push_back(static_cast<double>(run.count) / static_cast<double>(run.all));
    return shares;
}

CountedShare sum_of(Counts runs)
{
    CountedShare sum;
    for (const CountedShare &run : runs) {
        sum.count += run.count;
        sum.all += run.all;
    }
    return sum;
}

// Returns the variance of a single event by Jeffreys' prior.
double event_variance(const CountedShare &events)
{
    const double share =
        (static_cast<double>(events.count) + 0.5) / (static_cast<double>(events.all) + 1);
    return share * (1 - share);
}

// Returns the average variance of a run's share by chance alone.
double chance_variance(Counts runs, Counts others)
{
    const CountedShare own = sum_of(runs);
    const CountedShare other = sum_of(others);
    const double event =
        std::max(event_variance(own),
                 event_variance({.count = own.count + other.count, .all = own.all + other.all}));
    double sum = 0;
    for (const CountedShare &run : runs)
        sum += event / static_cast<double>(run.all);
    return sum / static_cast<double>(runs.size());
}

// A mean, its variance, and the degrees of freedom with which the variance is known.
struct Estimate {
    double mean;
    double variance;
    double freedom;
};

Estimate estimate_of(const std::vector<double> &values, double variance_least)
{
    const auto count = static_cast<double>(values.size());
    return {.mean = statistics::mean(values),
            .variance = std::max(statistics::sample_variance(values), variance_least) / count,
            .freedom = count - 1};
}

Estimate difference_of(const Estimate &a, const Estimate &b)
{
    const double variance = a.variance + b.variance;
    return {.mean = b.mean - a.mean,
            .variance = variance,
            .freedom = variance * variance /
                       (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom)};
}

} // namespace

std::optional<DifferenceInterval> share_difference(Counts a, Counts b, double confidence,
                                                   Samples samples)
{
    if (a.size() < 2 || b.size() < 2)
        return std::nullopt;
    const std::vector<double> before = shares_of(a);
    std::vector<double> now = shares_of(b);
    Estimate found{};
    switch (samples) {
    case Samples::independent:
        found = difference_of(estimate_of(before, chance_variance(a, b)),
                              estimate_of(now, chance_variance(b, a)));
        break;
    case Samples::paired:
        for (std::size_t run = 0; run < now.size(); run++)
            now[run] -= before.at(run);
        found = estimate_of(now, chance_variance(a, b) + chance_variance(b, a));
        break;
    }
    const boost::math::students_t distribution(found.freedom);
    const double half =
        boost::math::quantile(distribution, (1 + confidence) / 2) * std::sqrt(found.variance);
    return DifferenceInterval{found.mean - half, found.mean + half};
}

} // namespace dnsgauge
