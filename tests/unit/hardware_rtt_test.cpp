// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/hardware_rtt.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

using namespace dnsgauge;

namespace
{

constexpr std::uint64_t second = 1'000'000'000;

std::optional<std::uint64_t> rtt_of(std::uint64_t transmitted, std::uint64_t received,
                                    std::uint64_t software)
{
    return hardware_rtt(slot_stamp(transmitted), slot_stamp(received), software);
}

std::uint64_t valid(std::uint64_t rtt)
{
    return slot_word(QUERY_VALID, 7, rtt);
}

} // namespace

TEST_CASE("an RTT by the card's clock is the difference of its stamps, of whatever length")
{
    const std::uint64_t rtt =
        GENERATE(0ULL, 1ULL, 700ULL, 30'000ULL, second, 4 * second, 5 * second, 59 * second);
    const std::uint64_t sent = GENERATE(1ULL, (1ULL << 32U) - 500, 1'795'000'000'123'456'789ULL);
    const std::uint64_t in_tester = GENERATE(1ULL, 4000ULL, second);
    CAPTURE(rtt, sent, in_tester);
    const auto found = rtt_of(sent, sent + rtt, rtt + in_tester);
    REQUIRE(found);
    CHECK(*found == rtt);
}

TEST_CASE("stamps that lie on a multiple of 2^32 are stamps")
{
    CHECK(slot_stamp(0) == 0);
    CHECK(slot_stamp(1ULL << 32U) == 1);
    CHECK(slot_stamp(5ULL << 32U | 0xfffffffe) == 0xfffffffe);
    CHECK(rtt_of(1ULL << 32U, (1ULL << 32U) + 900, 1000) == 899U);
}

TEST_CASE("stamps that contradict the Tester's clock give nothing")
{
    CHECK_FALSE(rtt_of(1'000'000, 1'000'000 + 52'000, 50'000));
    CHECK_FALSE(rtt_of(2'000'000, 1'000'000, 50'000));
    CHECK_FALSE(rtt_of(1'000'000, 1'000'000 + 3 * second, second));
    // The difference is no larger than clocks drift apart and stamps are rounded.
    CHECK(rtt_of(1'000'000, 1'000'000 + 50'900, 50'000) == 50'900U);
    CHECK(rtt_of(1, 1 + second + second / 2000, second) == second + second / 2000);
}

TEST_CASE("a tally's summary fits the values")
{
    const std::vector<std::uint64_t> values{5, 1, 3, 9, 2};
    RttTally tally;
    RttTally other;
    for (std::size_t i = 0; i < values.size(); i++)
        (i % 2 == 0 ? tally : other).add(values[i]);
    CHECK(RttTally().summary().count == 0);
    tally.add(other);
    const RttSummary summary = tally.summary();
    CHECK(summary.count == 5);
    CHECK(summary.min == 1);
    CHECK(summary.max == 9);
    CHECK(summary.mean == Approx(4));
    CHECK(summary.stddev == Approx(std::sqrt(8.0)));
    CHECK(summary.p50 == 3);
}

TEST_CASE("a query's stamps meet when its slot is used again")
{
    StampBook book(4, 8, true);
    for (std::uint64_t i = 0; i < 4; i++)
        book.send(i, static_cast<std::uint32_t>(7 - i));
    book.complete(7, 1000, 4); // query 0
    book.complete(5, 1020, 4); // query 2
    book.complete(4, 0, 4);    // query 3, without a stamp
    book.settle(0, valid(600), 1500);
    book.settle(1, valid(600), 1510); // never completed
    book.settle(2, slot_word(QUERY_WRONG_DATA, 7, 600), 1520);
    book.settle(3, valid(600), 0); // received without a stamp
    CHECK(book.counts().transmitted == 2);
    CHECK(book.counts().received == 2);
    CHECK(book.counts().contradictory == 0);
    const RttSummary summary = book.rtts().summary();
    CHECK(summary.count == 1);
    CHECK(summary.min == 500);

    book.send(4, 7); // in the slot of query 0, whose stamp is forgotten
    book.settle(4, valid(600), 1600);
    CHECK(book.rtts().summary().count == 1);
}

TEST_CASE(
    "a completion that comes after its query's slot has been used again is no stamp of the new one")
{
    StampBook book(4, 8, true);
    book.send(0, 0);
    for (std::uint64_t i = 1; i < 5; i++)
        book.send(i, static_cast<std::uint32_t>(i));
    book.complete(0, 1000, 5);
    CHECK(book.counts().transmitted == 0);
    book.settle(4, valid(600), 1500);
    CHECK(book.rtts().summary().count == 0);
}

TEST_CASE("stamps of different clocks are counted, not subtracted")
{
    StampBook book(4, 4, false);
    book.send(0, 0);
    book.complete(0, 1000, 1);
    book.settle(0, valid(600), 1500);
    CHECK(book.counts().transmitted == 1);
    CHECK(book.counts().received == 1);
    CHECK(book.counts().contradictory == 0);
    CHECK(book.rtts().summary().count == 0);
}

TEST_CASE("stamps that cannot be true are counted")
{
    StampBook book(4, 4, true);
    book.send(0, 0);
    book.complete(0, 1000, 1);
    book.settle(0, valid(600), 90'000);
    CHECK(book.counts().contradictory == 1);
    CHECK(book.rtts().summary().count == 0);
}
