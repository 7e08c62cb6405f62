// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/setup_error.h"
#include "workload/fresh_names.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace dnsgauge;
using Catch::Contains;

TEST_CASE("shares are large enough, inside the range, and follow each other without overlap")
{
    const NameRange range = parse_name_range("10.0.0.0/8");
    const FreshNames names(range, 60'000, 256);
    std::uint64_t next = range.first;
    for (std::uint64_t i = 0; i < 256; i++) {
        const NameRange share = names.share(i);
        REQUIRE(share.first == next);
        REQUIRE(share.count == 65'536);
        REQUIRE(parse_name_range(to_string(share)) == share);
        next += share.count;
    }
    CHECK(next == range.first + range.count);
    CHECK(names.needed() == range.count);
    CHECK(FreshNames(range, 60'000, 3).needed() == 3 * 65'536);
    CHECK_THROWS_WITH(names.share(256), Contains("all 256 shares") && Contains("10.0.0.0/8"));
}

TEST_CASE("the whole namespace can be shared out, and one name can be")
{
    const NameRange all = parse_name_range("0.0.0.0/0");
    CHECK(FreshNames(all, 1ULL << 31, 2).share(1) == NameRange{1U << 31, 1ULL << 31});
    CHECK(FreshNames(all, 1ULL << 32, 1).share(0) == all);
    const NameRange one = parse_name_range("198.18.0.1/32");
    CHECK(FreshNames(one, 1, 1).share(0) == one);
}

TEST_CASE("a range that is too small is refused with the names that are needed")
{
    const NameRange range = parse_name_range("10.0.0.0/8");
    CHECK_THROWS_WITH(FreshNames(range, 60'000, 257),
                      Contains("257 trials") && Contains("60000 queries") && Contains("16842752") &&
                          Contains("10.0.0.0/8 has 16777216"));
    CHECK_THROWS_AS(FreshNames(range, (1ULL << 32) + 1, 1), SetupError);
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    CHECK_THROWS_AS(FreshNames(range, most, most), SetupError);
    CHECK_THROWS_AS(FreshNames(range, 1ULL << 32, most), SetupError);
}
