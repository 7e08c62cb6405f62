// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/stamp_clock.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

constexpr std::int64_t day = 86'400'000'000'000;
constexpr std::int64_t ms = 1'000'000;

// Looks at both clocks without taking time.
void look(StampClock &clock, std::int64_t monotonic, std::int64_t real)
{
    clock.look(monotonic, real, monotonic);
}

} // namespace

TEST_CASE("a stamp is as old by either clock")
{
    StampClock clock;
    look(clock, 1000 * ms, day);
    CHECK(clock.monotonic(day - 5000) == 1000 * ms - 5000);
    CHECK(clock.monotonic(day) == 1000 * ms);
}

TEST_CASE("a clock that is slewed is no clock that is set")
{
    StampClock clock;
    look(clock, 1000 * ms, day);
    look(clock, 2000 * ms, day + 1000 * ms + ms / 2);
    CHECK(clock.monotonic(day + 1000 * ms) == 2000 * ms - ms / 2);
}

TEST_CASE("stamps from before the clock was set have no known time")
{
    const std::int64_t step = GENERATE(-day, -10 * ms, 10 * ms, day);
    StampClock clock;
    look(clock, 1000 * ms, day);
    look(clock, 1001 * ms, day + ms + step);
    CHECK(!clock.monotonic(day));
    CHECK(!clock.monotonic(day + ms));
    // The same holds when the socket is read only later.
    look(clock, 1002 * ms, day + 2 * ms + step);
    CHECK(!clock.monotonic(day));
    CHECK(clock.monotonic(day + 2 * ms - 1000 + step) == 1002 * ms - 1000);
}

TEST_CASE("a look that was interrupted is no step, and the surer distance stays")
{
    StampClock clock;
    look(clock, 1000 * ms, day);
    const std::int64_t real = GENERATE(day + ms, day + 2 * ms, day + 4 * ms);
    clock.look(1001 * ms, real, 1004 * ms);
    CHECK(clock.monotonic(day + 100) == 1000 * ms + 100);
    CHECK(clock.monotonic(day + ms) == 1001 * ms);
    look(clock, 1005 * ms, day + 5 * ms);
    CHECK(clock.monotonic(day + 2 * ms) == 1002 * ms);
}

TEST_CASE("a stamp is never later than the look at the clock")
{
    StampClock clock;
    look(clock, 1000 * ms, day);
    CHECK(clock.monotonic(day + 100) == 1000 * ms);
    CHECK(!clock.monotonic(day + ms));
}

TEST_CASE("without a look no stamp has a known time")
{
    CHECK(!StampClock().monotonic(day));
}
