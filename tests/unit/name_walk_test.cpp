// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/name_walk.h"

#include <catch2/catch.hpp>

#include <set>

using namespace dnsgauge;

TEST_CASE("senders together ask for each name of the range once, then begin again")
{
    const NameRange range{0x0a000000, 256};
    const std::uint64_t senders = GENERATE(1ULL, 2ULL, 4ULL);
    std::multiset<std::uint32_t> asked;
    for (std::uint64_t sender = 0; sender < senders; sender++) {
        NameWalk walk(range, sender, senders);
        for (std::uint64_t i = 0; i < 2 * range.count / senders; i++)
            asked.insert(walk.next());
    }
    for (std::uint32_t name = range.first; name < range.first + range.count; name++)
        REQUIRE(asked.count(name) == 2);
    CHECK(asked.size() == 512);
}

TEST_CASE("a range may be one name, or all there are")
{
    NameWalk one({0xc6120001, 1}, 0, 3);
    CHECK(one.next() == 0xc6120001);
    CHECK(one.next() == 0xc6120001);

    NameWalk all({0, 1ULL << 32U}, (1ULL << 32U) - 1, 1);
    CHECK(all.next() == 0xffffffff);
    CHECK(all.next() == 0);
}
