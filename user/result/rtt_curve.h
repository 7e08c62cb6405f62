// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The logarithmic percentile histogram that resolver tests use. It shows how slow the slowest
// queries are.
#pragma once

#include "result/trial_result.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

struct RttCurve {
    // The slowest `share` of all queries need at least this RTT.
    struct Point {
        double share = 0;
        std::uint64_t rtt = 0; // nanoseconds
    };

    // Shares of the queries that got no right answer within this time.
    double slower_than_1ms = 0;
    double slower_than_10ms = 0;
    double slower_than_100ms = 0;
    double slower_than_1s = 0;
    std::vector<Point> points; // ten for each power of ten, from the share 1 on
};

// Returns the curve of `sent` queries, whose valid replies had these RTTs. A query without a valid
// reply counts as slower than all others, with the timeout for its RTT.
[[nodiscard]] RttCurve curve_of(std::uint64_t sent, const RttSummary &rtt, Nanoseconds timeout);

} // namespace dnsgauge
