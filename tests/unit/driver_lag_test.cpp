// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/driver_lag.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

// The schedule has one query each millisecond.
constexpr std::int64_t gap = 1'000'000;
const DriverLag thousand(Rate{1000}, 0, 1);

} // namespace

TEST_CASE("what is gone each time was never kept")
{
    DriverLag lag = thousand;
    for (std::uint64_t n = 0; n < 100; n++)
        lag.see(n, n, static_cast<std::int64_t>(n) * gap);
    CHECK(lag.most_ns() == 0);
}

TEST_CASE("the oldest query that is kept counts, from when it was due")
{
    DriverLag lag = thousand;
    lag.see(3, 3, 3 * gap);
    lag.see(4, 3, 3 * gap + 20);
    CHECK(lag.most_ns() == 20);
    // Queries 4 to 402 wait behind that one.
    for (std::uint64_t n = 4; n <= 403; n++)
        lag.see(n, 3, static_cast<std::int64_t>(n) * gap);
    CHECK(lag.most_ns() == 400 * gap);
    // The queue goes on, and its lag does not grow.
    for (std::uint64_t n = 0; n < 400; n++)
        lag.see(404 + n, 4 + n, static_cast<std::int64_t>(404 + n) * gap);
    CHECK(lag.most_ns() == 400 * gap);
    lag.see(804, 804, 2000 * gap);
    CHECK(lag.most_ns() == 400 * gap);
}

TEST_CASE("a steady backlog is late all the time, though something goes each time")
{
    DriverLag lag = thousand;
    for (std::uint64_t n = 60; n < 1000; n++)
        lag.see(n, n - 60, static_cast<std::int64_t>(n) * gap);
    CHECK(lag.most_ns() == 60 * gap);
}

TEST_CASE("of several senders each has its own part of the schedule")
{
    DriverLag lag(Rate{1000}, 1, 2);
    lag.see(2, 1, 10 * gap);
    CHECK(lag.most_ns() == 7 * gap);
}
