// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/histogram.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace dnsgauge;

namespace
{

// Returns the percentile by the words of RFC 2330 section 11.3: the smallest x with F(x) >= p.
std::uint64_t percentile(std::vector<std::uint64_t> values, std::uint64_t per_mille)
{
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); i++)
        if ((i + 1) * 1000 >= per_mille * values.size())
            return values[i];
    return values.back();
}

} // namespace

TEST_CASE("percentiles are RFC 2330's, at most 0.8 % too high and never too low")
{
    std::mt19937_64 random(GENERATE(1U, 2U, 3U));
    std::lognormal_distribution<double> rtt(11, 2);
    std::vector<std::uint64_t> values;
    Histogram histogram;
    const int count = GENERATE(1, 2, 20, 99, 100, 5000);
    for (int i = 0; i < count; i++) {
        values.push_back(static_cast<std::uint64_t>(rtt(random)));
        histogram.add(values.back());
    }
    for (const std::uint64_t per_mille : {1U, 10U, 250U, 500U, 900U, 990U, 999U, 1000U}) {
        const std::uint64_t right = percentile(values, per_mille);
        INFO(per_mille << " per mille of " << count);
        CHECK(histogram.percentile(per_mille) >= right);
        CHECK(histogram.percentile(per_mille) <= right + right / 128);
    }
    CHECK(histogram.percentile(1000) == *std::max_element(values.begin(), values.end()));
    CHECK(histogram.count() == values.size());
}

TEST_CASE("an empty histogram has no percentile, and sums of histograms count all")
{
    Histogram empty;
    CHECK(empty.percentile(500) == 0);
    CHECK(empty.count() == 0);
    Histogram other;
    other.add(7);
    other.add(100);
    empty.add(other);
    CHECK(empty.count() == 2);
    CHECK(empty.max() == 100);
    CHECK(empty.percentile(500) == 7);
}

TEST_CASE("what was counted is in ranges that hold it, each once")
{
    Histogram histogram;
    for (const std::uint64_t value : {5U, 5U, 1'000'000U})
        histogram.add(value);
    const std::vector<CountedRange> ranges = histogram.filled();
    REQUIRE(ranges.size() == 2);
    CHECK(ranges[0].from == 5);
    CHECK(ranges[0].to == 5);
    CHECK(ranges[0].count == 2);
    CHECK(ranges[1].from <= 1'000'000);
    CHECK(ranges[1].to >= 1'000'000);
    CHECK(ranges[1].count == 1);
}
