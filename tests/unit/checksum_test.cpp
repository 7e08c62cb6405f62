// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/checksum.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <random>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t longest = 2048;

std::uint16_t checksum_of(const Bytes &bytes, std::uint64_t sum = 0)
{
    const ExactBuffer buffer(bytes);
    return WIRE_BE16(checksum_field(checksum_add(sum, buffer.cursor(), longest)));
}

} // namespace

TEST_CASE("the worked example of RFC 1071 section 3 comes out right")
{
    CHECK(checksum_of({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}) == (~0xddf2U & 0xffff));
}

TEST_CASE("random bytes of every length have the reference's checksum")
{
    std::mt19937 random(1);
    for (std::uint32_t length = 0; length <= longest; length++) {
        Bytes bytes(length);
        for (auto &byte : bytes)
            byte = static_cast<std::uint8_t>(random());
        INFO(hexdump(bytes));
        REQUIRE(checksum_of(bytes) == reference_checksum(bytes));
    }
}

TEST_CASE("bytes that carry at every step have the reference's checksum")
{
    for (std::uint32_t length = 0; length <= longest; length++)
        for (const int fill : {0xff, 0xfe, 0x80}) {
            const Bytes bytes(length, static_cast<std::uint8_t>(fill));
            REQUIRE(checksum_of(bytes) == reference_checksum(bytes));
        }
}

TEST_CASE("an odd last byte counts as if a zero followed")
{
    for (int byte = 0; byte < 256; byte++) {
        const auto odd = static_cast<std::uint8_t>(byte);
        REQUIRE(checksum_of({1, 2, odd}) == checksum_of({1, 2, odd, 0}));
        REQUIRE(checksum_of({odd}) == reference_checksum(Bytes{odd}));
    }
}

TEST_CASE("a sum goes on where another ended")
{
    const Bytes first = {0xff, 0xff, 0x12, 0x34};
    const Bytes second = {0xab, 0xcd, 0xef};
    Bytes both = first;
    both.insert(both.end(), second.begin(), second.end());

    const ExactBuffer buffer(first);
    CHECK(checksum_of(second, checksum_add(0, buffer.cursor(), longest)) ==
          reference_checksum(both));
}

TEST_CASE("folding keeps the sum modulo 65535, whatever carries")
{
    std::mt19937_64 random(2);
    const auto folds = [](std::uint64_t sum) {
        const std::uint16_t folded = checksum_fold(sum);
        REQUIRE(folded % 65535 == sum % 65535);
        REQUIRE((folded == 0) == (sum == 0));
    };
    for (const std::uint64_t sum :
         {0x0ULL, 0x1ULL, 0xffffULL, 0x10000ULL, 0x1ffffULL, 0xfffeffffULL, 0xffffffffULL,
          0x100000000ULL, 0x1fffeffffULL, 0xffffffffffffULL, 0xfffffffeffffffffULL,
          0xffffffffffffffffULL})
        folds(sum);
    for (int i = 0; i < 100'000; i++)
        folds(random() >> (random() % 64));
}

TEST_CASE("a UDP checksum is never zero, and otherwise the plain one")
{
    for (std::uint64_t sum = 0; sum <= 0x20000; sum++) {
        const std::uint16_t plain = checksum_field(sum);
        const std::uint16_t udp = checksum_udp_field(sum);
        REQUIRE(udp != 0);
        REQUIRE(udp == (plain ? plain : 0xffff));
    }
}
