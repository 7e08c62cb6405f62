// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_tally.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

void settle(IntervalBook &book, std::int64_t sent_ns, query_state state, std::uint64_t rtt = 0,
            std::uint32_t rcode = 0)
{
    book.settle(sent_ns, state, rcode, rtt);
}

std::uint64_t sent(const QueryTally &tally)
{
    return summarize(tally, 0s).queries.sent;
}

} // namespace

TEST_CASE("a run has intervals to its end, and one for what is sent after it")
{
    CHECK(IntervalPlan{.length = 0s, .run = 10s}.count() == 0);
    CHECK(IntervalPlan{.length = 1s, .run = 10s}.count() == 11);
    CHECK(IntervalPlan{.length = 3s, .run = 10s}.count() == 5);
    CHECK(IntervalPlan{.length = 1s, .run = 1ms}.count() == 2);
}

TEST_CASE("a query counts in the interval in which it was sent")
{
    IntervalBook book({.length = 1s, .run = 3s});
    for (const std::int64_t sent_ns : {0, 999'999'999})
        settle(book, sent_ns, QUERY_VALID, 100);
    settle(book, 1'000'000'000, QUERY_OUTSTANDING);
    // None in the third; two after the end, one of them long after.
    settle(book, 3'000'000'001, QUERY_LATE, 3);
    settle(book, 9'000'000'000, QUERY_RCODE, 7, 2);
    const std::vector<QueryTally> &tallies = book.tallies();
    REQUIRE(tallies.size() == 4);
    CHECK(sent(tallies[0]) == 2);
    CHECK(sent(tallies[1]) == 1);
    CHECK(sent(tallies[2]) == 0);
    CHECK(sent(tallies[3]) == 2);
}

TEST_CASE("each state of a slot is one class, and only decided queries have an RCODE")
{
    IntervalBook book({.length = 1s, .run = 1s});
    settle(book, 0, QUERY_VALID, 100, 3);
    settle(book, 1, QUERY_VALID, 300, 3);
    settle(book, 2, QUERY_LATE, 400, 3);
    settle(book, 3, QUERY_OUTSTANDING);
#define SETTLE(NAME, key, label, reason, kind) settle(book, 4, QUERY_##NAME, 50, 2);
    INVALID_CLASSES(SETTLE)
#undef SETTLE
    const IntervalSummary summary = summarize(book.tallies().front(), 7s);
    CHECK(summary.since == 7s);
    CHECK(summary.queries.valid == 2);
    CHECK(summary.queries.late == 1);
    CHECK(summary.queries.lost == 1);
    for (const InvalidClass &each : invalid_classes)
        CHECK(summary.queries.invalid.*each.count == 1);
    CHECK(summary.queries.sent == 4 + invalid_classes.size());
    CHECK(summary.rcodes[3] == 3);
    CHECK(summary.late_rcodes[3] == 1);
    // A misfit answers another question.
    CHECK(summary.rcodes[2] == invalid_classes.size() - 2);
    CHECK(std::accumulate(summary.rcodes.begin(), summary.rcodes.end(), 0U) ==
          3 + invalid_classes.size() - 2);
    CHECK(summary.rtt.count == 2);
    CHECK(summary.rtt.min == 100);
    CHECK(summary.rtt.max == 300);
    CHECK(summary.rtt.mean == Approx(200));
}

TEST_CASE("intervals of lanes add up, the shorter list too")
{
    IntervalBook one({.length = 1s, .run = 1s});
    IntervalBook other({.length = 1s, .run = 2s});
    settle(one, 0, QUERY_VALID, 10);
    settle(other, 0, QUERY_VALID, 30);
    settle(other, 1'500'000'000, QUERY_LATE, 30);
    std::vector<QueryTally> sums;
    for (const IntervalBook *book : {&one, &other})
        add(sums, book->tallies());
    REQUIRE(sums.size() == 3);
    CHECK(summarize(sums[0], 0s).queries.valid == 2);
    CHECK(summarize(sums[0], 0s).rtt.mean == Approx(20));
    CHECK(summarize(sums[1], 1s).queries.late == 1);
    CHECK(summarize(sums[1], 1s).late_rcodes[0] == 1);
    CHECK(sent(sums[2]) == 0);
}
