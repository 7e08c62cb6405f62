// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/ramp.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dnsgauge
{

namespace
{

constexpr double bound_error = 0.025;
constexpr double deviations_below = 1.96;
// The answers of these intervals tell what the server bears after it left the line.
constexpr std::ptrdiff_t intervals_behind = 4;

using Binomial = boost::math::binomial_distribution<>;

bool is_on_line(const RampInterval &one, double share)
{
    return one.sent != 0 &&
           (one.valid == one.sent ||
            Binomial::find_lower_bound_on_p(static_cast<double>(one.sent),
                                            static_cast<double>(one.valid), bound_error) >= share);
}

bool is_below(const RampInterval &one, double share)
{
    return one.valid < one.sent &&
           Binomial::find_upper_bound_on_p(static_cast<double>(one.sent),
                                           static_cast<double>(one.valid), bound_error) < share;
}

std::uint64_t whole(double rate)
{
    return static_cast<std::uint64_t>(std::llround(std::max(rate, 0.0)));
}

} // namespace

RampSummary summarize(std::span<const RampInterval> intervals, double accept_percent)
{
    const double share = accept_percent / 100;
    const auto on_line = [share](const RampInterval &one) { return is_on_line(one, share); };
    const auto first = std::find_if(intervals.rbegin(), intervals.rend(), on_line).base();
    const auto last = std::find_if(
        first, intervals.end(), [share](const RampInterval &one) { return is_below(one, share); });
    if (last == intervals.end())
        return {};
    double answered = 0;
    double time = 0;
    double least = first->from;
    const auto end = last + std::min(intervals_behind, intervals.end() - last);
    for (auto one = end - last > 1 ? last + 1 : last; one != end; ++one) {
        const auto valid = static_cast<double>(one->valid);
        answered += valid;
        time += one->length;
        least = std::min(least, (valid - deviations_below * std::sqrt(valid)) / one->length);
    }
    return {.left = whole((first->from + last->to) / 2),
            .low = whole(std::floor(least)),
            .high = whole(std::ceil(last->to)),
            .answered = whole(answered / time)};
}

} // namespace dnsgauge
