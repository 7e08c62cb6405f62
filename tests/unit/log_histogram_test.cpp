// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/log_histogram.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <random>

namespace
{

constexpr std::uint64_t beyond = 1ULL << LOG_HISTOGRAM_MAX_BITS;

void lies_in_its_bucket(std::uint64_t value)
{
    INFO("value " << value);
    const std::uint32_t bucket = log_histogram_bucket(value);
    REQUIRE(bucket < LOG_HISTOGRAM_BUCKETS);
    if (value >= beyond) {
        REQUIRE(bucket == LOG_HISTOGRAM_BUCKETS - 1);
        return;
    }
    REQUIRE(log_histogram_floor(bucket) <= value);
    REQUIRE(value < log_histogram_floor(bucket + 1));
}

} // namespace

TEST_CASE("powers of two and their neighbours lie in their buckets")
{
    for (int bit = 0; bit < 64; bit++)
        for (const std::uint64_t away : {~0ULL, 0ULL, 1ULL})
            lies_in_its_bucket((1ULL << bit) + away);
    lies_in_its_bucket(~0ULL);
}

TEST_CASE("random values of every magnitude lie in their buckets")
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 1'000'000; i++)
        lies_in_its_bucket(random() >> (i % 64));
}

TEST_CASE("every bucket begins at its floor, and the one before ends there")
{
    for (std::uint32_t bucket = 0; bucket < LOG_HISTOGRAM_BUCKETS; bucket++) {
        const std::uint64_t floor = log_histogram_floor(bucket);
        REQUIRE(log_histogram_bucket(floor) == bucket);
        REQUIRE(log_histogram_bucket(log_histogram_floor(bucket + 1) - 1) == bucket);
    }
    CHECK(log_histogram_floor(LOG_HISTOGRAM_BUCKETS) == beyond);
}

TEST_CASE("a bucket is one nanosecond wide below 128, and at most 1/128 of its floor above")
{
    for (std::uint32_t bucket = 0; bucket < LOG_HISTOGRAM_BUCKETS; bucket++) {
        const std::uint64_t floor = log_histogram_floor(bucket);
        const std::uint64_t width = log_histogram_floor(bucket + 1) - floor;
        if (floor < 128)
            REQUIRE(width == 1);
        else
            REQUIRE(width * 128 <= floor);
    }
}
