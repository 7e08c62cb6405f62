// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The knee of closed loops whose truth is known.
#include "stats/knee.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace dnsgauge;

namespace
{

const std::vector<double> windows = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000};

using Runs = std::vector<std::vector<double>>;

// Returns runs of a server that answers 1,000/s for each open query, up to its capacity. Each run
// has a scatter of its own, and each trial another one.
Runs runs_of(double capacity, std::size_t count, double scatter, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, scatter);
    Runs runs;
    for (std::size_t i = 0; i < count; i++) {
        const double own = capacity * std::exp(normal(random));
        std::vector<double> &run = runs.emplace_back();
        for (const double open : windows)
            run.push_back(std::min(1'000 * open, own) * std::exp(normal(random)));
    }
    return runs;
}

} // namespace

TEST_CASE("a server with a limit has its knee where the limit is, with its rate and slopes")
{
    const Knee knee = find_knee(windows, runs_of(37'000, 5, 0.001, 1));
    REQUIRE(knee.open);
    CHECK(knee.why_not.empty());
    CHECK(knee.open->value == Approx(37).epsilon(0.01));
    CHECK(knee.open->low < knee.open->value);
    CHECK(knee.open->high > knee.open->value);
    CHECK(knee.answered_rate == Approx(37'000).epsilon(0.01));
    CHECK(knee.below.value == Approx(2).epsilon(0.01));
    CHECK(knee.above.value == Approx(1).epsilon(0.01));
    CHECK(!knee.falls_from);
    CHECK(knee.runs == 5);
}

TEST_CASE("the interval of the knee holds the truth as often as it says", "[.]")
{
    std::size_t held = 0;
    std::size_t told = 0;
    for (std::uint32_t seed = 0; seed < 400; seed++) {
        const std::size_t runs = 3 + seed % 8;
        const double truth = 20 + seed % 61;
        const Knee knee = find_knee(windows, runs_of(1'000 * truth, runs, 0.03, seed));
        if (!knee.open)
            continue;
        told++;
        held += knee.open->low <= truth && truth <= knee.open->high;
    }
    CAPTURE(told, held);
    CHECK(told > 390);
    // 95 of 100; fewer than 92.5 of 100 come once in 100 such tests.
    CHECK(static_cast<double>(held) > 0.925 * static_cast<double>(told));
}

TEST_CASE("answers that fall beyond the knee do not move it")
{
    Runs runs = runs_of(60'000, 4, 0.002, 7);
    for (std::vector<double> &run : runs) {
        run[8] *= 0.5;
        run[9] *= 0.01;
    }
    const Knee knee = find_knee(windows, runs);
    REQUIRE(knee.open);
    CHECK(knee.open->value == Approx(60).epsilon(0.02));
    CHECK(knee.falls_from == 500);
}

TEST_CASE("no knee is told of a line that does not bend, or hardly rises")
{
    const Knee rises = find_knee(windows, runs_of(1e9, 4, 0.01, 3));
    CHECK(!rises.open);
    CHECK_THAT(rises.why_not, Catch::StartsWith("up to 1000 open queries answers/s may still rise: "
                                                "twice as many bring "));
    const Knee flat = find_knee(windows, runs_of(900, 4, 0.01, 3));
    CHECK(!flat.open);
    CHECK_THAT(flat.why_not, Catch::Contains("do not rise enough to bend"));
}

TEST_CASE("no knee is told of too few runs or windows")
{
    const Knee few = find_knee(windows, runs_of(37'000, 2, 0.01, 3));
    CHECK(!few.open);
    CHECK_THAT(few.why_not, Catch::Contains("takes 3 runs through all windows or more"));
    CHECK(!find_knee(windows, {}).open);
    const std::vector<double> short_range(windows.begin(), windows.begin() + 4);
    CHECK_THAT(find_knee(short_range, runs_of(5'000, 4, 0.01, 3)).why_not,
               Catch::Contains("takes 5 windows or more"));
    Runs dying = runs_of(37'000, 4, 0.01, 3);
    for (std::vector<double> &run : dying)
        std::fill(run.begin() + 1, run.end(), 1.0);
    CHECK_THAT(find_knee(windows, dying).why_not, Catch::Contains("and there is 1"));
}
