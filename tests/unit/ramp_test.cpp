// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/ramp.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace dnsgauge;

namespace
{

// Returns a ramp from 0 to 10,000 queries/s in ten intervals of a second, all of whose queries are
// valid.
std::vector<RampInterval> answered_ramp()
{
    std::vector<RampInterval> ramp;
    for (std::uint64_t i = 0; i < 10; i++)
        ramp.push_back({.from = 1000.0 * static_cast<double>(i),
                        .to = 1000.0 * static_cast<double>(i + 1),
                        .length = 1,
                        .sent = 1000 * i + 500,
                        .valid = 1000 * i + 500});
    return ramp;
}

// Lets the server answer no more than `most` queries in an interval from number `first` on.
void limit(std::vector<RampInterval> &ramp, std::size_t first, std::uint64_t most)
{
    for (std::size_t i = first; i < ramp.size(); i++)
        ramp[i].valid = std::min(ramp[i].valid, most);
}

} // namespace

TEST_CASE("a server that answers everything stays on the line")
{
    CHECK_FALSE(summarize(answered_ramp(), 100).left);
    CHECK_FALSE(summarize({}, 100).left);
}

TEST_CASE("a server leaves the line in the first interval that is below it for good")
{
    std::vector<RampInterval> ramp = answered_ramp();
    limit(ramp, 0, 6'400);
    const RampSummary summary = summarize(ramp, 100);
    CHECK(summary.left == 6'500);
    CHECK(summary.low == 6'000);
    CHECK(summary.high == 7'000);
    CHECK(summary.answered == 6'400);
}

TEST_CASE("losses before do not count")
{
    std::vector<RampInterval> ramp = answered_ramp();
    ramp[2].valid = 0;
    limit(ramp, 6, 6'400);
    CHECK(summarize(ramp, 100).left == 6'500);
    ramp[9].valid = ramp[9].sent;
    CHECK_FALSE(summarize(ramp, 100).left);
}

TEST_CASE("what is answered after a burst is the lower bound")
{
    std::vector<RampInterval> ramp = answered_ramp();
    limit(ramp, 6, 4'000);
    const RampSummary summary = summarize(ramp, 100);
    CHECK(summary.left == 6'500);
    CHECK(summary.low == 3'876); // 4,000 less 1.96 times the root
    CHECK(summary.high == 7'000);
    CHECK(summary.answered == 4'000);
}

TEST_CASE("an interval of few queries tells nothing where the share is less than all")
{
    // One query more or less of 1,000 decides nothing: 984 valid ones are surely less than 99 %
    // wanted, by the upper bound 0.9908 of 984 and 0.9888 of 982.
    std::vector<RampInterval> ramp;
    for (int i = 0; i < 4; i++)
        ramp.push_back(
            {.from = 1000.0 * i, .to = 1000.0 * (i + 1), .length = 1, .sent = 1000, .valid = 1000});
    ramp[2].valid = 984;
    ramp[3].valid = 982;
    const RampSummary summary = summarize(ramp, 99);
    CHECK(summary.left == 3'000);
    CHECK(summary.high == 4'000);
    ramp[3].valid = 984;
    CHECK_FALSE(summarize(ramp, 99).left);
    ramp[2].valid = 982;
    CHECK(summarize(ramp, 99).high == 3'000);
    // On the line for sure: 996 valid ones of 99 %, with the lower bound 0.9898, are not.
    ramp[3].valid = 998;
    CHECK_FALSE(summarize(ramp, 99).left);
    ramp[3].valid = 996;
    CHECK(summarize(ramp, 99).high == 3'000);
}

TEST_CASE("a server may leave the line in the first interval, and in the last one")
{
    std::vector<RampInterval> ramp = answered_ramp();
    limit(ramp, 0, 400);
    CHECK(summarize(ramp, 100).left == 500);
    CHECK(summarize(ramp, 100).low == 0);
    ramp = answered_ramp();
    limit(ramp, 9, 9'400);
    const RampSummary summary = summarize(ramp, 100);
    CHECK(summary.left == 9'500);
    CHECK(summary.answered == 9'400);
}
