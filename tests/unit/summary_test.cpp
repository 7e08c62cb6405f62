// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/summary.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>
#include <vector>

using namespace dnsgauge;

TEST_CASE("a percentile is one of the values: RFC 2330 section 11.3's example")
{
    const std::vector<double> sorted = {-5, -2, 4, 7, 7, 18};
    CHECK(percentile(sorted, 250) == -2);
    CHECK(percentile(sorted, 500) == 4);
    CHECK(percentile(sorted, 1000) == 18);
    // The RFC's example says minus infinity here, against the RFC's own rule: F(-5) = 1/6 >= 0.15.
    CHECK(percentile(sorted, 150) == -5);
}

TEST_CASE("a spread has the extremes of any number of values")
{
    std::vector<double> values(1000);
    std::iota(values.rbegin(), values.rend(), 1);
    const std::optional<Band> spread = band_of(values);
    CHECK(spread->min == 1);
    CHECK(spread->median == 500.5);
    CHECK(spread->max == 1000);
    CHECK(band_of(std::vector<double>{7})->median == 7);
    CHECK_FALSE(band_of({}));
}

TEST_CASE("below a hundred values the 1st and 99th percentile are the extremes, from there not")
{
    std::vector<double> values(99);
    std::iota(values.begin(), values.end(), 1);
    CHECK(summarize(values).p1 == 1);
    CHECK(summarize(values).p99 == 99);
    values.push_back(100);
    CHECK(summarize(values).p1 == 1);
    CHECK(summarize(values).p99 == 99);
    values.resize(200);
    std::iota(values.begin(), values.end(), 1);
    CHECK(summarize(values).p1 == 2);
    CHECK(summarize(values).p99 == 198);
}

TEST_CASE("values in any order, their count even: the median lies between")
{
    // The mean is 5; the squares of the distances from the mean add up to 32.
    const std::vector<double> values = {9, 4, 2, 5, 4, 7, 5, 4};
    const Summary summary = summarize(values);
    CHECK(summary.count == 8);
    CHECK(summary.median == 4.5);
    CHECK(summary.p1 == 2);
    CHECK(summary.p99 == 9);
    CHECK(summary.mean == Approx(5));
    CHECK(summary.stddev == Approx(std::sqrt(32.0 / 7)));
    CHECK(summary.moe_999 == Approx(3.290527 * std::sqrt(32.0 / 7) / std::sqrt(8.0)));
    CHECK(summary.mad == Approx(1.4826 * 0.5));
    CHECK(summary.dispersion == Approx(7 / 4.5 * 100));
}

TEST_CASE("an odd count has its middle value as median")
{
    CHECK(summarize(std::vector<double>{10, 1, 4}).median == 4);
}

TEST_CASE("what values do not define is not a number")
{
    const Summary none = summarize({});
    CHECK(none.count == 0);
    CHECK(std::isnan(none.median));
    const Summary one = summarize(std::vector<double>{7});
    CHECK(one.median == 7);
    CHECK(one.mad == 0);
    CHECK(one.dispersion == 0);
    CHECK(std::isnan(one.stddev));
    CHECK(std::isnan(one.moe_999));
    CHECK(std::isnan(summarize(std::vector<double>{0, 0}).dispersion));
}
