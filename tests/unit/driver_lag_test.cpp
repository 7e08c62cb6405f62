// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/driver_lag.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

constexpr std::int64_t gap = 1'000'000;

// The schedule has one query each millisecond, of which a sender has every `stride`th from `first`
// on.
class Sending
{
public:
    explicit Sending(std::int64_t first = 0, std::int64_t stride = 1)
        : first_(first), stride_(stride)
    {
    }

    void see(std::uint64_t given, std::uint64_t gone, std::int64_t elapsed_ns)
    {
        for (; given_ < given; given_++)
            lag_.hand_over(given_, (first_ + static_cast<std::int64_t>(given_) * stride_) * gap);
        lag_.see(given, gone, elapsed_ns);
    }
    [[nodiscard]] std::int64_t most_ns() const { return lag_.most_ns(); }

private:
    DriverLag lag_{512};
    std::int64_t first_;
    std::int64_t stride_;
    std::uint64_t given_ = 0;
};

} // namespace

TEST_CASE("what is gone each time was never kept")
{
    Sending lag;
    for (std::uint64_t n = 0; n < 100; n++)
        lag.see(n, n, static_cast<std::int64_t>(n) * gap);
    CHECK(lag.most_ns() == 0);
}

TEST_CASE("the oldest query that is kept counts, from when it was due")
{
    Sending lag;
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
    Sending lag;
    for (std::uint64_t n = 60; n < 1000; n++)
        lag.see(n, n - 60, static_cast<std::int64_t>(n) * gap);
    CHECK(lag.most_ns() == 60 * gap);
}

TEST_CASE("each of several senders has its own part of the schedule")
{
    Sending lag(1, 2);
    lag.see(2, 1, 10 * gap);
    CHECK(lag.most_ns() == 7 * gap);
}

TEST_CASE(
    "queries need not be due at one distance, and the driver may have as many as there are frames")
{
    DriverLag lag(4);
    for (std::uint64_t n = 0; n < 4; n++)
        lag.hand_over(n, static_cast<std::int64_t>(n * n) * gap);
    lag.see(4, 0, 10 * gap);
    CHECK(lag.most_ns() == 10 * gap);
    lag.hand_over(4, 16 * gap);
    lag.see(5, 1, 20 * gap);
    CHECK(lag.most_ns() == 19 * gap);
    CHECK(lag.due_of(4) == 16 * gap);
}
