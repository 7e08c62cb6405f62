// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/stamp_clock.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

constexpr std::int64_t day = 86'400'000'000'000;
constexpr std::int64_t ms = 1'000'000;

} // namespace

TEST_CASE("a stamp is as old by either clock")
{
    StampClock clock;
    clock.look(1000 * ms, day);
    CHECK(clock.monotonic(day - 5000) == 1000 * ms - 5000);
    CHECK(clock.monotonic(day) == 1000 * ms);
}

TEST_CASE("a clock that is slewed is no clock that is set")
{
    StampClock clock;
    clock.look(1000 * ms, day);
    clock.look(2000 * ms, day + 1000 * ms + ms / 2);
    CHECK(clock.monotonic(day + 1000 * ms) == 2000 * ms - ms / 2);
}

TEST_CASE("stamps from before the clock was set have no known time")
{
    const std::int64_t step = GENERATE(-day, -10 * ms, 10 * ms, day);
    StampClock clock;
    clock.look(1000 * ms, day);
    clock.look(1001 * ms, day + ms + step);
    CHECK(!clock.monotonic(day));
    CHECK(!clock.monotonic(day + ms));
    // The same holds when the socket is read only later.
    clock.look(1002 * ms, day + 2 * ms + step);
    CHECK(!clock.monotonic(day));
    CHECK(clock.monotonic(day + 2 * ms - 1000 + step) == 1002 * ms - 1000);
}

TEST_CASE("a stamp is never later than the look at the clock")
{
    StampClock clock;
    clock.look(1000 * ms, day);
    CHECK(clock.monotonic(day + 100) == 1000 * ms);
    CHECK(!clock.monotonic(day + ms));
}

TEST_CASE("without a look no stamp has a known time")
{
    CHECK(!StampClock().monotonic(day));
}
