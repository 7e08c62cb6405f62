// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "reply_clock_abi.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <random>

namespace
{

constexpr std::uint32_t tag_max = (1U << SLOT_TAG_BITS) - 1;

void comes_back(query_state state, std::uint32_t tag, std::uint64_t rtt)
{
    const std::uint64_t word = slot_word(state, tag, rtt);
    for (const std::uint32_t rcode : {0U, 1U, 15U, 16U, 23U, 30U, 31U, 32U, 4095U}) {
        const std::uint64_t decided = word | slot_rcode_bits(rcode);
        REQUIRE(slot_state(decided) == state);
        REQUIRE(slot_tag(decided) == tag);
        REQUIRE(slot_rtt(decided) == rtt);
        REQUIRE(slot_rcode(decided) == std::min(rcode, 31U));
    }
}

} // namespace

TEST_CASE("state, tag, RCODE and RTT come back from a slot's word, at their limits and at random")
{
    std::mt19937_64 random(5);
    for (int state = 0; state < QUERY_STATES; state++) {
        const auto query = static_cast<query_state>(state);
        for (const std::uint32_t tag : {0U, 1U, 0x40000U, tag_max})
            for (const std::uint64_t rtt :
                 std::initializer_list<std::uint64_t>{0, 1, 1ULL << 32, 1ULL << 35, SLOT_RTT_MAX})
                comes_back(query, tag, rtt);
        for (int i = 0; i < 10'000; i++)
            comes_back(query, static_cast<std::uint32_t>(random()) & tag_max,
                       random() & SLOT_RTT_MAX);
    }
}

TEST_CASE("every state fits the bits it has, and the empty slot's word is zero")
{
    CHECK(QUERY_STATES <= 1 << SLOT_STATE_BITS);
    CHECK(slot_word(QUERY_NONE, 0, 0) == 0);
}

TEST_CASE("the longest RTT a slot can hold has a bucket of its own magnitude")
{
    CHECK(log_histogram_floor(log_histogram_bucket(SLOT_RTT_MAX)) <= SLOT_RTT_MAX);
}
