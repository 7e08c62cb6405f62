// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/token_bucket.h"

#include <catch2/catch.hpp>

#include <array>

namespace
{

constexpr std::uint64_t second = TOKEN_BUCKET_SECOND;

// Returns how many of `tries` at one moment get a token.
int taken(token_bucket &bucket, std::uint64_t now, std::uint64_t interval, int tries)
{
    int count = 0;
    for (int i = 0; i < tries; i++)
        count += token_bucket_take(&bucket, now, interval);
    return count;
}

} // namespace

TEST_CASE("a full bucket holds what a second gives")
{
    token_bucket bucket{};
    CHECK(taken(bucket, 1000 * second, second / 20, 100) == 20);
    CHECK(taken(bucket, 1000 * second, second / 20, 100) == 0);
}

TEST_CASE("it fills at its rate, and no further than full")
{
    token_bucket bucket{};
    std::uint64_t now = 5 * second;
    REQUIRE(taken(bucket, now, second / 10, 100) == 10);
    CHECK(taken(bucket, now + second / 10 - 1, second / 10, 100) == 0);
    CHECK(taken(bucket, now + second / 10, second / 10, 100) == 1);
    CHECK(taken(bucket, now + second / 2, second / 10, 100) == 4);
    CHECK(taken(bucket, now + 100 * second, second / 10, 100) == 10);
}

TEST_CASE("asked evenly at its rate it always gives, at twice the rate every second time")
{
    for (const std::uint64_t part : {1U, 2U}) {
        token_bucket bucket{};
        REQUIRE(taken(bucket, second, second / 100, 1000) == 100);
        int count = 0;
        for (std::uint64_t i = 1; i <= 1000; i++)
            count += token_bucket_take(&bucket, second + i * second / 100 / part, second / 100);
        CHECK(count == 1000 / static_cast<int>(part));
    }
}

TEST_CASE("one answer a second is one answer a second")
{
    token_bucket bucket{};
    CHECK(taken(bucket, second, second, 3) == 1);
    CHECK(taken(bucket, 2 * second - 1, second, 3) == 0);
    CHECK(taken(bucket, 2 * second, second, 3) == 1);
}

TEST_CASE("a network is an IPv4 /24 or an IPv6 /56, and never both")
{
    const std::array<__u8, 16> one{0x20, 0x01, 0x0d, 0xb8, 1, 2, 3, 4, 5};
    std::array<__u8, 16> other = one;
    other[7] = 0xff;
    other[15] = 1;
    CHECK(token_bucket_network(one.data(), 1) == token_bucket_network(other.data(), 1));
    other[6] = 4;
    CHECK(token_bucket_network(one.data(), 1) != token_bucket_network(other.data(), 1));
    other = one;
    other[3] = 0;
    CHECK(token_bucket_network(one.data(), 0) == token_bucket_network(other.data(), 0));
    other[2] = 0;
    CHECK(token_bucket_network(one.data(), 0) != token_bucket_network(other.data(), 0));
    CHECK(token_bucket_network(one.data(), 0) != token_bucket_network(one.data(), 1));
}
