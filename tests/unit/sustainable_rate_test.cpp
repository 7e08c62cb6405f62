// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/sustainable_rate.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("formulas (2) and (3): 60/61 and 120/121 of the rate, and so what storing can gain")
{
    CHECK(sustainable_rate(1, 60s, 1s) == Approx(0.9836).epsilon(1e-4));
    CHECK(sustainable_rate(1, 120s, 1s) == Approx(0.9917).epsilon(1e-4));
    CHECK(timeout_gain_most(60s, 1s) == Approx(100.0 / 61));
    CHECK(timeout_gain_most(5s, 5s) == Approx(50));
    CHECK(sustainable_rate(1000, 60s, 0ns) == 1000);
}

TEST_CASE("without different durations, or without different rates, there is nothing to tell")
{
    const std::vector<RateAtDuration> one = {{60s, 1000}, {60s, 1300}};
    const SustainableRates judged = judge_sustainability(one, 1s);
    CHECK(judged.verdict == Sustainability::undecided);
    CHECK_THAT(judged.why, Contains("one duration"));
    const std::vector<RateAtDuration> close = {{60s, 1000}, {120s, 995}};
    CHECK(judge_sustainability(close, 1s).verdict == Sustainability::undecided);
    CHECK(judge_sustainability(std::vector<RateAtDuration>{{60s, 0}, {120s, 0}}, 1s).verdict ==
          Sustainability::undecided);
}

TEST_CASE("a server that stores what it can is seen; one that does not is not called so")
{
    const auto measured = [](double duration) { return 1000 * (duration + 1) / duration; };
    const std::vector<RateAtDuration> storing = {{5s, measured(5)}, {60s, measured(60)}};
    const SustainableRates judged = judge_sustainability(storing, 1s);
    CHECK(judged.verdict == Sustainability::applies);
    CHECK(judged.calculated[0] == Approx(1000));
    CHECK(judged.calculated_spread == Approx(0).margin(1e-9));
    const std::vector<RateAtDuration> constant = {{5s, 1000}, {60s, 1000}};
    CHECK(judge_sustainability(constant, 1s).verdict == Sustainability::wrong);
}
