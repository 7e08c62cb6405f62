// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/schedule.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace dnsgauge;

TEST_CASE("each query of a schedule is in one share, and shares count their queries")
{
    const std::uint32_t shares = GENERATE(1U, 2U, 3U, 7U);
    const std::uint64_t queries = GENERATE(0U, 1U, 6U, 7U, 100U);
    CAPTURE(shares, queries);
    std::vector<unsigned> seen(queries);
    for (std::uint32_t number = 0; number < shares; number++) {
        const Share share{.number = number, .of = shares};
        for (std::uint64_t i = 0; i < share.count(queries); i++)
            seen.at(share.query(i))++;
        CHECK(share.query(share.count(queries)) >= queries);
    }
    CHECK(seen == std::vector<unsigned>(queries, 1));
}
