// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/mlr/loss_ratio_search.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace dnsgauge;

namespace
{

constexpr Nanoseconds one_second = std::chrono::seconds(1);

// Three seconds decide, half of which may be bad.
constexpr LossGoal goal{.loss_ratio = 0.01,
                        .exceed_ratio = 0.5,
                        .initial_duration = one_second / 10,
                        .final_duration = one_second,
                        .duration_sum = 3 * one_second};

LoadClass class_of(const std::vector<LossTrial> &trials, const LossGoal &its = goal)
{
    return classify(trials, its);
}

LossTrial lost(double ratio, Nanoseconds duration = one_second)
{
    return {Rate{1000}, duration, ratio};
}

} // namespace

TEST_CASE("a load without trials is undecided")
{
    CHECK(class_of({}) == LoadClass::undecided);
}

TEST_CASE("a load is decided as soon as the time that is missing cannot change its class")
{
    CHECK(class_of({lost(0)}) == LoadClass::undecided);
    CHECK(class_of({lost(0), lost(0)}) == LoadClass::lower_bound);
    CHECK(class_of({lost(0.02)}) == LoadClass::undecided);
    CHECK(class_of({lost(0.02), lost(0.02)}) == LoadClass::upper_bound);
    CHECK(class_of({lost(0.02), lost(0)}) == LoadClass::undecided);
    CHECK(class_of({lost(0.02), lost(0), lost(0)}) == LoadClass::lower_bound);
    CHECK(class_of({lost(0.02), lost(0), lost(0.02)}) == LoadClass::upper_bound);
}

TEST_CASE("a loss of exactly the goal's ratio is good")
{
    CHECK(class_of({lost(0.01), lost(0.01)}) == LoadClass::lower_bound);
    CHECK(class_of({lost(0.0100001), lost(0.0100001)}) == LoadClass::upper_bound);
}

TEST_CASE("as in RFC 2544, one bad trial is enough where no bad trial is excused")
{
    LossGoal strict = goal;
    strict.loss_ratio = 0;
    strict.exceed_ratio = 0;
    strict.duration_sum = strict.final_duration;
    CHECK(class_of({lost(0)}, strict) == LoadClass::lower_bound);
    CHECK(class_of({lost(1e-9)}, strict) == LoadClass::upper_bound);
    CHECK(class_of({lost(0), lost(1e-9)}, strict) == LoadClass::upper_bound);
}

TEST_CASE("short trials never make a lower bound, and bad ones count beyond what good ones excuse")
{
    const LossTrial good = lost(0, one_second / 2);
    const LossTrial bad = lost(0.5, one_second / 2);
    CHECK(class_of({good, good, good, good, good, good, good, good}) == LoadClass::undecided);
    CHECK(class_of({bad, bad, bad}) == LoadClass::undecided);
    CHECK(class_of({bad, bad, bad, bad}) == LoadClass::upper_bound);
    CHECK(class_of({bad, bad, bad, bad, good}) == LoadClass::undecided);
    CHECK(class_of({bad, bad, bad, bad, lost(0)}) == LoadClass::upper_bound);
}

TEST_CASE("the conditional throughput lacks the losses of the worst trial that counts")
{
    const std::vector<LossTrial> trials = {lost(0.5), lost(0.001), lost(0.004), lost(0.002)};
    REQUIRE(class_of(trials) == LoadClass::lower_bound);
    // Two of four seconds count: the seconds that lost 0.001 and 0.002.
    CHECK(conditional_throughput(trials, goal) == Approx(998));
    // One and a half of three seconds count, although only two were tried.
    CHECK(conditional_throughput(std::vector{lost(0.001), lost(0.004)}, goal) == Approx(996));
    CHECK(conditional_throughput(std::vector{lost(0.001, one_second / 2)}, goal) == 0);
}
