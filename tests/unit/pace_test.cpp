// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/pace.h"

#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("a pace is read from the text that it is written as")
{
    for (const char *text :
         {"constant", "poisson=1", "poisson=18446744073709551615", "steps=1000:5000:500",
          "steps=5000:1000:3000", "steps=7:7:1", "ramp=1:2", "ramp=1000:5000000", "original",
          "window=1", "window=10000", "window=100,rate=5000"})
        CHECK(to_string(parse_pace(text)) == text);
    CHECK(to_string(parse_pace("poisson")) == "poisson=1");
    CHECK(to_string(parse_pace("window=7,rate=2k")) == "window=7,rate=2000");
    CHECK(to_string(parse_pace("steps=1k:1M:100k")) == "steps=1000:1000000:100000");
}

TEST_CASE("what is no pace is refused with the forms that there are")
{
    for (const char *text :
         {"", "Poisson", "poisson=", "poisson=-1", "poisson=x", "constant=1", "original=1", "steps",
          "ramp", "ramp=5", "steps=1000", "steps=1:2", "steps1:2:3", "window", "window=x",
          "window=-1", "window=1,2", "window=1,rate", "window=,rate=1"})
        CHECK_THROWS_WITH(parse_pace(text), Contains("steps=FROM:TO:STEP"));
    for (const char *text : {"ramp=0:5", "ramp=5:5", "ramp=6:5", "ramp=1:2:3", "ramp=a:2",
                             "steps=0:5:1", "steps=1:2:0", "steps=1:2:3:4", "steps=a:2:3"})
        CHECK_THROWS_AS(parse_pace(text), SetupError);
    CHECK_THROWS_WITH(parse_pace("steps=1:1000000:1"), Contains("more than 10000"));
    for (const char *text : {"window=0", "window=10001", "window=0,rate=1"})
        CHECK_THROWS_WITH(parse_pace(text), Contains("1 to 10000 queries"));
    for (const char *text : {"window=1,rate=0", "window=1,rate=x"})
        CHECK_THROWS_AS(parse_pace(text), SetupError);
}

TEST_CASE("steps go from one rate up or down to the other, each for an equal time")
{
    const SchedulePlan up = SchedulePlan::of_rates(parse_pace("steps=1000:3500:1000"), 3s);
    CHECK(up.pace.rates() == 3);
    CHECK(up.queries() == 1000 + 2000 + 3000);
    CHECK(up.rate == Rate{2000});
    CHECK(up.begin_of(1) == 1s);
    CHECK(up.begin_of(3) == 3s);
    CHECK(up.peak(1s) == Rate{3000});
    const SchedulePlan down = SchedulePlan::of_rates(parse_pace("steps=300:100:100"), 1s);
    CHECK(down.rate_of(2) == Rate{100});
    CHECK(down.peak(1s) == Rate{300});
    // A third of a second has 100, 66.67 and 33.33 queries.
    CHECK(down.queries_in_step(0) == 99 + (down.begin_of(1) >= 333'333'334ns ? 1 : 0));
    CHECK(down.queries() == down.queries_in_step(0) + 66 + 33);
}

TEST_CASE("a ramp has the queries that its rates make, each when it is due")
{
    const SchedulePlan ramp = SchedulePlan::of_rates(parse_pace("ramp=1000:3000"), 2s);
    CHECK(ramp.queries() == 4000);
    CHECK(ramp.rate == Rate{2000});
    CHECK(ramp.peak(1s) == Rate{3000});
    CHECK(ramp.queries_before(0s) == 0);
    CHECK(ramp.queries_before(1s) == 1500);
    CHECK(ramp.due_in_ramp(0) == 0s);
    CHECK(ramp.due_in_ramp(1500) == 1s);
    CHECK(ramp.due_in_ramp(4000) == 2s);
    // The first second has half of the mean growth: 1000 t + 500 t^2.
    CHECK(std::abs(ramp.due_in_ramp(625).count() - 500'000'000) <= 1);
}

TEST_CASE("a constant and a Poisson pace have rate times duration queries")
{
    for (const char *text : {"constant", "poisson=3"}) {
        const SchedulePlan plan{.pace = parse_pace(text), .rate = Rate{1000}, .duration = 2500ms};
        CHECK(plan.queries() == 2500);
    }
    const SchedulePlan constant{.rate = Rate{1000}, .duration = 1s};
    CHECK(constant.peak(1s) == Rate{1000});
    const SchedulePlan poisson{.pace = parse_pace("poisson"), .rate = Rate{10'000}, .duration = 1s};
    CHECK(poisson.peak(1s) > Rate{10'500});
    CHECK(poisson.peak(1s) < Rate{11'000});
}

TEST_CASE("a window has slots for the rate that it may reach")
{
    const auto peak = [](const char *text, Nanoseconds time) {
        const Pace pace = parse_pace(text);
        return SchedulePlan{.pace = pace, .rate = SchedulePlan::highest_of(pace), .duration = 1s}
            .peak(time);
    };
    CHECK(peak("window=5,rate=300", 1s) == Rate{300});
    CHECK(peak("window=5", 1s) == Rate{1'000'000});
    CHECK(peak("window=5", 500ms) == Rate{2'000'000});
}
