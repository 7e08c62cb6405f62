// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/median_bounds.h"
#include "stats/summary.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace dnsgauge;

TEST_CASE("how many differences of one sign are needed for a bound")
{
    // 2^(n+1) / (n+1), less a little: 32 at n = 7 and 18 at n = 6, where 20 are needed.
    MedianBounds bounds(0.05, 0.01);
    for (int i = 1; i <= 6; i++)
        bounds.add(i);
    CHECK(std::isinf(bounds.low()));
    bounds.add(7);
    CHECK(bounds.low() == 1);
    CHECK(std::isinf(bounds.high()));
    for (int i = 8; i <= 9; i++)
        bounds.add(i);
    CHECK(bounds.high() == 9);
    CHECK(fewest_differences(0.05) == 7);
    CHECK(fewest_differences(0.01) == 9);
}

TEST_CASE("bounds hold infinite differences")
{
    MedianBounds bounds(0.05, 0.05);
    for (int i = 0; i < 12; i++)
        bounds.add(3);
    CHECK(bounds.low() == 3);
    CHECK(bounds.high() == 3);
    bounds.add(INFINITY);
    bounds.add(-INFINITY);
    CHECK(bounds.low() == 3);
    CHECK(bounds.high() == 3);
}

TEST_CASE("bounds of differences that drift hold their median")
{
    const double step = GENERATE(-1.0, 1.0);
    MedianBounds bounds(0.05, 0.05);
    for (int i = 0; i < 200; i++) {
        bounds.add(step * (i / 50));
        const double median = summarize(bounds.sorted()).median;
        CHECK(bounds.low() <= median);
        CHECK(bounds.high() >= median);
    }
    CHECK(std::isfinite(bounds.low()));
    CHECK(std::isfinite(bounds.high()));
}

TEST_CASE("outliers move a bound no further than their number does")
{
    MedianBounds bounds(0.05, 0.05);
    for (int i = 0; i < 100; i++)
        bounds.add(i % 10 == 0 ? 1e9 : 1 + i % 3);
    CHECK(bounds.low() >= 1);
    CHECK(bounds.high() <= 3);
}
