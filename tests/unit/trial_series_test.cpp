// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/setup_error.h"
#include "search/trial_series.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

// A series that is stopped ends in its pause. A series without a pause comes to its trial, which
// cannot be made.
TEST_CASE("a series pauses before its first trial if others went before it")
{
    const std::atomic<bool> stop = true;
    TrialPlan plan;
    plan.interface = "no-such-one";
    BetweenTrials between;
    SECTION("none did")
    {
        TrialSeries series(plan, between, stop, {});
        CHECK_THROWS_AS(series.run(Rate{1}, 0), SetupError);
    }
    SECTION("others did")
    {
        between.pauses_first = true;
        TrialSeries series(plan, between, stop, {});
        CHECK_FALSE(series.run(Rate{1}, 0));
    }
}

TEST_CASE("an invalid trial is made again after a pause that grows, and that can be stopped")
{
    using std::chrono::seconds;
    CHECK(retry_pause(0) == Nanoseconds{});
    CHECK(retry_pause(1) == seconds(1));
    CHECK(retry_pause(2) == seconds(2));
    CHECK(retry_pause(6) == seconds(32));
    CHECK(retry_pause(1000) == seconds(32));

    std::atomic<bool> stop = false;
    TrialPlan plan;
    plan.interface = "no-such-one";
    TrialSeries series(plan, {}, stop, {});
    CHECK_THROWS_AS(series.run(Rate{1}, 0), SetupError);
    stop = true;
    CHECK_FALSE(series.run(Rate{1}, 0, {}, 10));
}
