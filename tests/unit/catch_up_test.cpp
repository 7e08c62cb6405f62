// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated senders that stand still.
#include "engine/catch_up.h"

#include "engine/stall_book.h"
#include "result/stalls.h"
#include "workload/schedule.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

constexpr std::int64_t look = 100; // nanoseconds between the sender's looks at the clock

struct Stop {
    Nanoseconds since;
    Nanoseconds length;
};

struct Sent {
    std::vector<std::int64_t> at; // when each query was sent
    std::vector<std::int64_t> late;
    std::vector<Stall> stalls;
    bool is_spoilt = false;
};

// Sends the schedule in batches of 32, as a sender does that takes no time for it, and stands still
// at `stop` once.
template <class Schedule, class Pace>
Sent simulate(Schedule schedule, Rate rate, std::uint64_t queries, const Stop &stop, Pace pace,
              Nanoseconds bearable = Nanoseconds::max())
{
    Sent sent;
    StallBook book(stall_limit(rate), bearable, queries);
    bool was_stopped = false;
    for (std::int64_t now = 0; sent.at.size() < queries; now += look) {
        if (!was_stopped && now >= stop.since.count()) {
            now += stop.length.count();
            was_stopped = true;
        }
        const std::int64_t until = pace.at(now, schedule.due());
        const std::int64_t first_due = schedule.due();
        std::uint32_t batch = 0;
        for (; batch < 32 && sent.at.size() < queries && until >= schedule.due(); batch++) {
            sent.at.push_back(now);
            sent.late.push_back(now - schedule.due());
            schedule.advance();
        }
        if (batch != 0)
            book.hand_over(first_due, now, batch, schedule.due());
    }
    book.close();
    sent.stalls = book.stalls();
    sent.is_spoilt = book.is_spoilt();
    return sent;
}

template <class Pace>
Sent simulate(Rate rate, std::uint64_t queries, const Stop &stop, Pace pace,
              Nanoseconds bearable = Nanoseconds::max())
{
    return simulate(ConstantRate(rate, 0, 1), rate, queries, stop, pace, bearable);
}

// Returns the shortest time between two queries.
std::int64_t shortest_gap(const Sent &sent)
{
    std::int64_t shortest = sent.at[1] - sent.at[0];
    for (std::size_t i = 1; i < sent.at.size(); i++)
        shortest = std::min(shortest, sent.at[i] - sent.at[i - 1]);
    return shortest;
}

// Returns when the first query after `from` was sent that was no later than one look.
std::int64_t in_time_from(const Sent &sent, Nanoseconds from)
{
    for (std::size_t i = 0; i < sent.at.size(); i++)
        if (sent.at[i] > from.count() && sent.late[i] <= look)
            return sent.at[i];
    return -1;
}

CatchUp at_most(std::uint32_t per_mille, Rate rate)
{
    return {per_mille, stall_limit(rate)};
}

} // namespace

TEST_CASE("a sender that stood still sends what is overdue at twice the rate, and then on time")
{
    const Rate rate{25'000};
    const std::int64_t gap = 40'000;
    const Sent sent = simulate(rate, 10'000, {100ms, 43ms}, at_most(2000, rate));
    CHECK(shortest_gap(sent) >= gap / 2);
    const std::int64_t back = in_time_from(sent, 143ms);
    CHECK(back > Nanoseconds(186ms).count() - 2 * gap);
    CHECK(back <= Nanoseconds(186ms).count() + gap);
    for (std::size_t i = 0; i < sent.at.size(); i++)
        if (sent.at[i] >= back || sent.at[i] < Nanoseconds(100ms).count())
            REQUIRE(sent.late[i] <= look);
    // The queries overdue at once, and none more: they are what a burst is without a limit.
    REQUIRE(sent.stalls.size() == 1);
    CHECK(sent.stalls[0].burst == 43'000'000 / gap + 1);
    CHECK(sent.stalls[0].longest > 42'900us);
    CHECK(sent.stalls[0].until > 185ms);
    CHECK(sent.stalls[0].until < 187ms);
}

TEST_CASE("any factor is the most there is, at any rate")
{
    const std::uint32_t per_mille = GENERATE(1100U, 1500U, 3000U, 10'000U);
    const Rate rate{GENERATE(10'000U, 30'000U, 500'000U)};
    const Nanoseconds length = 2 * stall_limit(rate);
    const Nanoseconds since = due_at(rate, 100);
    const Sent sent = simulate(rate, 3000, {since, length}, at_most(per_mille, rate));
    const std::int64_t gap = due_at(rate, 1).count();
    CHECK(shortest_gap(sent) >= gap * 1000 / per_mille - look);
    const std::int64_t needed = length.count() * 1000 / (per_mille - 1000);
    const std::int64_t took = in_time_from(sent, since + length) - (since + length).count();
    CHECK(took <= needed + 2 * gap);
    CHECK(took >= needed - 2 * gap * 1000 / (per_mille - 1000) - 2 * gap);
}

TEST_CASE("without a limit, and where no more is overdue than a burst may be, all is sent at once")
{
    const Rate rate{25'000};
    CHECK(shortest_gap(simulate(rate, 10'000, {100ms, 43ms}, FullSpeed())) == 0);
    const Sent sent = simulate(rate, 10'000, {100ms, 2ms}, at_most(2000, rate));
    CHECK(in_time_from(sent, 102ms) < Nanoseconds(102'100us).count());
    CHECK(sent.stalls.empty());
}

TEST_CASE("a query is as late as it is, at any pace, and spoils the run where that is too late")
{
    const Rate rate{25'000};
    CHECK_FALSE(simulate(rate, 5000, {50ms, 49ms}, at_most(1100, rate), 50ms).is_spoilt);
    CHECK(simulate(rate, 5000, {50ms, 51ms}, at_most(1100, rate), 50ms).is_spoilt);
    // 43 ms before the end there is no time to catch up.
    const Sent sent = simulate(rate, 2500, {70ms, 30ms}, at_most(1500, rate));
    CHECK(sent.late.back() > 10'000'000);
}

TEST_CASE("times of a pace that is not constant pass at most twice as fast")
{
    const Rate rate{25'000};
    const SchedulePlan plan{.pace = parse_pace("poisson=1"), .rate = rate, .duration = 400ms};
    const Sent sent = simulate(PacedSchedule(plan, 0, 1), rate, plan.queries(), {100ms, 43ms},
                               at_most(2000, rate));
    for (std::size_t i = 1; i < sent.at.size(); i++) {
        const std::int64_t gap = sent.at[i] - sent.at[i - 1];
        REQUIRE(2 * (gap + look) >= gap - (sent.late[i] - sent.late[i - 1]));
    }
    CHECK(in_time_from(sent, 143ms) > Nanoseconds(180ms).count());
    CHECK(sent.late.back() <= look);
}

TEST_CASE("a sender that stood still with nothing due, or before the start, is not behind")
{
    CatchUp pace(2000, 1ms);
    CHECK(pace.at(-9'000'000, 0) == -9'000'000);
    CHECK(pace.at(-1'000'000, 0) == -1'000'000);
    CHECK(pace.at(900'000, 900'000) == 900'000);
    CHECK(pace.at(5'000'000, 7'000'000) == 5'000'000);
    // The oldest query is due again, because the queries sent in the meantime were in time.
    CHECK(pace.at(15'000'000, 10'000'000) == 10'000'000);
    CHECK(pace.at(15'000'010, 10'000'000) == 10'000'020);
    // Standing still anew, while it is behind.
    CHECK(pace.at(20'000'000, 11'000'000) == 11'000'000);
}

TEST_CASE("a sender that begins late catches up from the start")
{
    CatchUp pace(2000, 1ms);
    CHECK(pace.at(30'000'000, 0) == 0);
    CHECK(pace.at(30'000'100, 0) == 200);
}
