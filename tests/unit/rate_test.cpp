// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/rate.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <random>

using namespace dnsgauge;
using namespace std::chrono_literals;

TEST_CASE("a query is due at the nanosecond its index says")
{
    CHECK(due_at(Rate{1}, 0) == 0ns);
    CHECK(due_at(Rate{1}, 1) == 1s);
    CHECK(due_at(Rate{3}, 1) == 333'333'333ns);
    CHECK(due_at(Rate{3}, 2) == 666'666'666ns);
    CHECK(due_at(Rate{3}, 3) == 1s);
    CHECK(due_at(Rate{1'000'000'000}, 7) == 7ns);
    CHECK(due_at(Rate{3'000'000'000}, 7) == 2ns);
}

TEST_CASE("whole seconds are met exactly after a day at any rate: nothing drifts")
{
    for (const std::uint64_t per_second : {1ULL, 3ULL, 7ULL, 999'983ULL, 10'000'019ULL})
        for (const std::uint64_t second : {1ULL, 86'399ULL, 86'400ULL, 1'000'000'000ULL})
            REQUIRE(due_at(Rate{per_second}, per_second * second) == std::chrono::seconds(second));
}

TEST_CASE("gaps differ by one nanosecond at most, even where index times 1e9 exceeds 64 bits")
{
    const Rate rate{7'000'003};
    const std::int64_t gap = 1'000'000'000 / 7'000'003;
    for (const std::uint64_t start : {0ULL, 18'446'744'073ULL, 1'000'000'000'000'000ULL})
        for (std::uint64_t index = start; index < start + 10'000; index++) {
            const auto between = (due_at(rate, index + 1) - due_at(rate, index)).count();
            REQUIRE((between == gap || between == gap + 1));
        }
}

TEST_CASE("queries_in counts the queries that are due before the end")
{
    std::mt19937_64 random(4);
    CHECK(queries_in(Rate{10}, 0ns) == 0);
    CHECK(queries_in(Rate{10}, 99ms) == 0);
    CHECK(queries_in(Rate{10}, 100ms) == 1);
    CHECK(queries_in(Rate{1'000'000}, 60s) == 60'000'000);
    for (int i = 0; i < 100'000; i++) {
        const Rate rate{1 + random() % 20'000'000};
        const Nanoseconds duration(static_cast<std::int64_t>(random() % 86'400'000'000'000));
        const std::uint64_t queries = queries_in(rate, duration);
        // Query n is due within `duration` exactly if n / rate <= duration.
        REQUIRE(due_at(rate, queries) <= duration);
        REQUIRE(due_at(rate, queries + 1) >= duration);
    }
}
