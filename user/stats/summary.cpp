// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/summary.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dnsgauge
{

namespace
{

// The median absolute deviation of a normal distribution, times this factor, is its standard
// deviation.
constexpr double mad_scale = 1.4826;

} // namespace

double percentile(std::span<const double> sorted, std::uint64_t per_mille)
{
    const std::uint64_t rank = (sorted.size() * per_mille + 999) / 1000;
    return sorted[rank - 1];
}

double dispersion(double median, double p1, double p99)
{
    return median == 0 ? Summary::undefined : (p99 - p1) / median * 100;
}

double margin_of_error_999(double stddev, std::uint64_t count)
{
    if (count < 2)
        return Summary::undefined;
    const double two_sided = boost::math::quantile(boost::math::normal(), 1 - 0.001 / 2);
    return two_sided * stddev / std::sqrt(static_cast<double>(count));
}

Summary summarize(std::span<const double> values)
{
    namespace statistics = boost::math::statistics;
    if (values.empty())
        return {};
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());

    Summary summary;
    summary.count = sorted.size();
    summary.min = sorted.front();
    summary.max = sorted.back();
    summary.p1 = percentile(sorted, 10);
    summary.p99 = percentile(sorted, 990);
    summary.mean = statistics::mean(sorted);
    if (sorted.size() > 1)
        summary.stddev = std::sqrt(statistics::sample_variance(sorted));
    summary.moe_999 = margin_of_error_999(summary.stddev, summary.count);
    summary.median = statistics::median(sorted); // reorders `sorted`
    // Boost 1.74 (Debian 12) has a median_absolute_deviation that forgets to subtract the median.
    std::transform(sorted.begin(), sorted.end(), sorted.begin(),
                   [&summary](double value) { return std::abs(value - summary.median); });
    summary.mad = mad_scale * statistics::median(sorted);
    summary.dispersion = dispersion(summary.median, summary.p1, summary.p99);
    return summary;
}

std::optional<Band> band_of(std::span<const double> values)
{
    if (values.empty())
        return std::nullopt;
    const Summary summary = summarize(values);
    return Band{
        .min = summary.min, .median = summary.median, .mean = summary.mean, .max = summary.max};
}

} // namespace dnsgauge
