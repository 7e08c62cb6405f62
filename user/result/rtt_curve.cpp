// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/rtt_curve.h"

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

double share_slower(std::uint64_t sent, const RttSummary &rtt, std::uint64_t nanoseconds)
{
    std::uint64_t in_time = 0;
    for (const CountedRange &range : rtt.histogram)
        in_time += range.to <= nanoseconds ? range.count : 0;
    return sent == 0 ? 0
                     : 1 - static_cast<double>(std::min(in_time, sent)) / static_cast<double>(sent);
}

// Returns the RTT of the query with this rank, counted from the fastest.
std::uint64_t rtt_at(std::uint64_t rank, const RttSummary &rtt, std::uint64_t timeout)
{
    std::uint64_t seen = 0;
    for (const CountedRange &range : rtt.histogram) {
        seen += range.count;
        if (seen >= rank)
            return std::min({range.to, rtt.max, timeout});
    }
    return timeout;
}

std::vector<RttCurve::Point> points_of(std::uint64_t queries, const RttSummary &rtt,
                                       std::uint64_t timeout)
{
    std::vector<RttCurve::Point> points;
    const auto sent = static_cast<double>(queries);
    if (queries == 0)
        return points;
    for (int tenth = 0; tenth <= 100; tenth++) {
        const double share = std::pow(10, -tenth / 10.0);
        // The rank of the fastest query among the slowest `share`, counted from the fastest of all.
        const auto rank =
            static_cast<std::uint64_t>(std::max(1.0, std::ceil(sent * (1 - share) - 1e-6)));
        points.push_back({share, rtt_at(rank, rtt, timeout)});
        if (sent * share < 1)
            break;
    }
    return points;
}

} // namespace

RttCurve curve_of(std::uint64_t sent, const RttSummary &rtt, Nanoseconds timeout)
{
    constexpr std::uint64_t millisecond = 1'000'000;
    return {.slower_than_1ms = share_slower(sent, rtt, millisecond),
            .slower_than_10ms = share_slower(sent, rtt, 10 * millisecond),
            .slower_than_100ms = share_slower(sent, rtt, 100 * millisecond),
            .slower_than_1s = share_slower(sent, rtt, 1000 * millisecond),
            .points = points_of(sent, rtt, static_cast<std::uint64_t>(timeout.count()))};
}

} // namespace dnsgauge
