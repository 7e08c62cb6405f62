// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/schedule.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace dnsgauge;

TEST_CASE("a schedule walked by additions is the exact one, to the nanosecond")
{
    const Rate rate{GENERATE(1ULL, 3ULL, 7ULL, 999'983ULL, 1'000'000ULL, 3'000'000ULL,
                             1'000'000'000ULL, 9'999'999'967ULL)};
    const std::uint64_t stride = GENERATE(1ULL, 2ULL, 3ULL, 8ULL);
    const std::uint64_t first = GENERATE(0ULL, 5ULL, 123'456'789'012ULL);
    ConstantRate schedule(rate, first, stride);
    for (std::uint64_t i = 0; i < 20'000; i++) {
        REQUIRE(schedule.due() == due_at(rate, first + i * stride).count());
        schedule.advance();
    }
}

TEST_CASE("senders share one constant rate: together they send each query when it is due")
{
    const Rate rate{333'333};
    const std::uint64_t senders = GENERATE(2ULL, 3ULL, 7ULL);
    std::vector<std::int64_t> dues;
    for (std::uint64_t sender = 0; sender < senders; sender++) {
        ConstantRate schedule(rate, sender, senders);
        for (int i = 0; i < 1000; i++, schedule.advance())
            dues.push_back(schedule.due());
    }
    std::sort(dues.begin(), dues.end());
    for (std::size_t i = 0; i < dues.size(); i++)
        REQUIRE(dues[i] == due_at(rate, i).count());
}
