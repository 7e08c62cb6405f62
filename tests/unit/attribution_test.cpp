// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated trials: a schedule with stalls, and a server with a socket's buffer behind it.
#include "trial/attribution.h"

#include "engine/stall_book.h"
#include "trial/verdict.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

constexpr std::uint64_t buffer = usual_socket_buffer / packet_in_buffer;

struct Simulation {
    Rate rate{25'000};
    Nanoseconds duration = 4s;
    double served = 100'000;         // queries a second that the server serves
    std::uint64_t buffer = ::buffer; // queries that wait for the server
    double loss = 0;                 // the share that the server loses at any time
    std::vector<std::pair<Nanoseconds, Nanoseconds>> tester_stops; // when, and for how long
    std::vector<std::pair<Nanoseconds, Nanoseconds>> server_stops;
    double accept_percent = 100;
};

// Returns the end of the stop in which `time` is; `time` where there is none.
Nanoseconds after_stops(Nanoseconds time,
                        const std::vector<std::pair<Nanoseconds, Nanoseconds>> &stops)
{
    for (const auto &[since, length] : stops)
        if (time >= since && time < since + length)
            return since + length;
    return time;
}

struct Simulated : Criteria, Evidence, Judgement {
    std::uint64_t lost_outside = 0; // as the simulation knows it
};

// Sends the schedule in batches of 32, a query each 500 ns where it is behind; the server takes the
// queries from a buffer, and what finds the buffer full is lost.
Simulated simulate(const Simulation &plan)
{
    std::mt19937 random(7);
    std::bernoulli_distribution loses(plan.loss);
    StallBook book(stall_limit(plan.rate));
    MissBook misses;
    const std::uint64_t queries = queries_in(plan.rate, plan.duration);
    std::deque<Nanoseconds> waiting; // when each will have been served
    Nanoseconds free{};              // when the server has served all
    Simulated result;
    Nanoseconds now{};
    for (std::uint64_t next = 0; next < queries;) {
        now = after_stops(std::max(now, due_at(plan.rate, next)), plan.tester_stops);
        const Nanoseconds first_due = due_at(plan.rate, next);
        std::uint32_t batch = 0;
        while (batch < 32 && next < queries && due_at(plan.rate, next) <= now) {
            while (!waiting.empty() && waiting.front() <= now)
                waiting.pop_front();
            if (waiting.size() >= plan.buffer || loses(random)) {
                misses.settle(now.count(), QUERY_OUTSTANDING);
                result.queries.lost++;
            } else {
                free = after_stops(std::max(free, now), plan.server_stops) +
                       Nanoseconds(static_cast<std::int64_t>(1e9 / plan.served));
                waiting.push_back(free);
                result.queries.valid++;
            }
            batch++;
            next++;
        }
        book.hand_over(first_due.count(), now.count(), batch, due_at(plan.rate, next).count());
        now += batch * 500ns;
    }
    book.close();
    std::vector<Stall> stalls = book.stalls();
    for (const auto &[since, length] : plan.server_stops)
        stalls.push_back(
            {.who = Stalled::server, .since = since, .until = since + length, .longest = length});
    const SchedulePlan schedule{.rate = plan.rate, .duration = plan.duration};
    result.Criteria::rate = plan.rate;
    result.duration = plan.duration;
    result.timeout = 250ms;
    result.accept_percent = plan.accept_percent;
    result.queries.sent = queries;
    result.sending.duration = plan.duration;
    result.stalls = attribute(stalls, misses.tally(), stall_limit(plan.rate), [&](Nanoseconds at) {
        return schedule.queries_before(std::clamp(at, 0ns, plan.duration));
    });
    result.misses = result.queries.lost;
    static_cast<Judgement &>(result) = judge(result, result);
    return result;
}

} // namespace

TEST_CASE("only a query that is later than is bearable spoils a run")
{
    StallBook book(1ms, 50ms);
    book.hand_over(0, 50'000'000, 1, 60'000'000);
    CHECK_FALSE(book.is_spoilt());
    book.hand_over(60'000'000, 110'000'001, 1, 120'000'000);
    CHECK(book.is_spoilt());
    StallBook patient(1ms);
    patient.hand_over(0, 110'000'000'000, 1, 120'000'000'000);
    CHECK_FALSE(patient.is_spoilt());
}

TEST_CASE("what a Tester's burst costs a good server makes the trial invalid, and says why")
{
    const Simulated trial = simulate({.tester_stops = {{2s, 43ms}}});
    REQUIRE(trial.queries.lost > 200);
    CHECK(trial.verdict == Verdict::invalid);
    CHECK(trial.tester_was_limit);
    CHECK(trial.stalls_decided);
    CHECK(trial.stalls->tester.all.stalls == 1);
    CHECK(trial.stalls->tester.all.longest == 43ms);
    CHECK(trial.stalls->tester.lost == trial.queries.lost);
    CHECK_THAT(trial.why, Contains("; but all within ") && Contains(" of a burst of 10") &&
                              Contains("stood still for 43.000 ms"));
}

TEST_CASE("a stall that costs nothing fails nothing")
{
    const Simulated trial = simulate({.buffer = 4096, .tester_stops = {{2s, 43ms}}});
    CHECK(trial.verdict == Verdict::pass);
    CHECK(trial.stalls->tester.all.stalls == 1);
    CHECK(trial.stalls->tester.costly.stalls == 0);
    CHECK(trial.stalls->queries >= 1075);
}

TEST_CASE("a stop that the smallest buffer bears is no stall")
{
    const Simulated trial = simulate({.tester_stops = {{2s, 2ms}}});
    CHECK(trial.verdict == Verdict::pass);
    CHECK(trial.stalls->tester.all.stalls == 0);
    CHECK(trial.stalls->queries == 0);
    CHECK(trial.stalls->limit == 2'760'000ns);
}

TEST_CASE("a server that really loses fails, beside stops as well")
{
    const Simulated alone = simulate({.loss = 0.005});
    CHECK(alone.verdict == Verdict::fail);
    CHECK(alone.stalls->failed() == 0);
    CHECK_THAT(alone.why, !Contains("Tester"));
    std::vector<std::pair<Nanoseconds, Nanoseconds>> stops;
    for (int i = 1; i <= 3; i++)
        stops.push_back({i * 1s, 43ms});
    const Simulated beside = simulate({.loss = 0.005, .tester_stops = stops});
    CHECK(beside.verdict == Verdict::fail);
    CHECK_FALSE(beside.stalls_decided);
    CHECK(beside.stalls->tester.lost > 600);
    CHECK(beside.stalls->tester.lost < beside.queries.lost);
    CHECK_THAT(beside.why, Contains(" of these within ") && Contains("3 bursts of up to 10"));
    // At a high rate no bin of time is without a loss.
    const Simulated fast = simulate({.rate = Rate{500'000},
                                     .served = 1'000'000,
                                     .loss = 0.005,
                                     .tester_stops = {{1s, 43ms}, {3s, 5ms}}});
    CHECK(fast.verdict == Verdict::fail);
}

TEST_CASE("a server near its capacity loses behind a stall for long, for the stall's sake")
{
    const Simulated trial = simulate(
        {.served = 25'000 / 0.97, .tester_stops = {{1s, 43ms}, {2s, 5ms}, {2200ms, 20ms}}});
    REQUIRE(trial.queries.lost > 500);
    CHECK(trial.verdict == Verdict::invalid);
    CHECK(trial.stalls_decided);
}

TEST_CASE("an overloaded server fails, whatever stalls there are")
{
    const Simulated trial = simulate({.served = 24'000, .tester_stops = {{1s, 43ms}}});
    CHECK(trial.verdict == Verdict::fail);
    CHECK(trial.stalls->tester.lost < trial.queries.lost);
}

TEST_CASE("what is lost while the server's CPU is away makes the trial invalid")
{
    const Simulated trial = simulate({.rate = Rate{100'000},
                                      .served = 300'000,
                                      .server_stops = {{1s, 5ms}, {2s, 200us}, {3s, 8ms}}});
    REQUIRE(trial.queries.lost > 500);
    CHECK(trial.verdict == Verdict::invalid);
    CHECK(trial.stalls->server.all.stalls == 2); // the buffer bears the short one
    CHECK(trial.stalls->server.lost == trial.queries.lost);
    CHECK_THAT(trial.why,
               Contains("after the server's CPU had been away 2 times, for up to 8.000"));
}

TEST_CASE("many stops leave a real loss to be seen")
{
    std::vector<std::pair<Nanoseconds, Nanoseconds>> stops;
    for (int i = 1; i < 40; i++)
        stops.push_back({i * 100ms, 20ms});
    const Simulated good = simulate({.tester_stops = stops});
    REQUIRE(good.queries.lost > 1000);
    CHECK(good.verdict == Verdict::invalid);
    CHECK(good.stalls->tester.costly.stalls == 39);
    CHECK(simulate({.loss = 0.005, .tester_stops = stops}).verdict == Verdict::fail);
}

TEST_CASE("the share accepted is asked of the queries that were sent as promised")
{
    const Simulation stalled{.tester_stops = {{2s, 43ms}}, .accept_percent = 99.9};
    CHECK(simulate(stalled).verdict == Verdict::invalid);
    Simulation lossy = stalled;
    lossy.loss = 0.0005;
    CHECK(simulate(lossy).verdict == Verdict::invalid);
    lossy.loss = 0.002;
    CHECK(simulate(lossy).verdict == Verdict::fail);
    lossy.accept_percent = 99;
    CHECK(simulate(lossy).verdict == Verdict::pass);
}

TEST_CASE("a silent server fails, and no stall is why")
{
    const Simulated trial =
        simulate({.duration = 200ms, .buffer = 0, .tester_stops = {{10ms, 43ms}}});
    CHECK(trial.queries.lost == trial.queries.sent);
    CHECK(trial.verdict == Verdict::fail);
}

TEST_CASE("a wrong answer is nobody's stall")
{
    Simulated trial = simulate({.tester_stops = {{2s, 43ms}}});
    trial.queries.valid--;
    trial.queries.invalid.wrong_data++;
    CHECK(judge(trial, trial).verdict == Verdict::fail);
}

TEST_CASE("times that do not add up to the losses make the trial invalid")
{
    Simulated trial = simulate({.tester_stops = {{2s, 43ms}}});
    trial.misses = *trial.misses - 1;
    CHECK_THAT(judge(trial, trial).why, Contains("do not add up"));
}

TEST_CASE("a book of misses holds any number of bins, to the query")
{
    MissBook book;
    std::uint64_t number = 0;
    for (std::int64_t at = 0; at < 60'000'000'000; at += 300'000, number++)
        book.settle(at, number % 3 == 0 ? QUERY_LATE : QUERY_OUTSTANDING);
    book.settle(1, QUERY_VALID);
    const MissTally &tally = book.tally();
    CHECK(tally.width_bits == 23);
    CHECK(tally.bins.size() <= MissBook::most_bins);
    std::uint64_t lost = 0;
    std::uint64_t late = 0;
    for (const MissBin &bin : tally.bins) {
        lost += bin.lost;
        late += bin.late;
    }
    CHECK(late == (number + 2) / 3);
    CHECK(lost + late == number);
    CHECK(std::ranges::is_sorted(tally.bins, {}, &MissBin::number));
    MissTally sum{.bins = {{.number = 9, .lost = 1}, {.number = 70'000, .late = 2}}};
    sum.add(tally);
    CHECK(sum.width_bits == 23);
    CHECK(sum.bins.front().lost + sum.bins.front().late ==
          tally.bins.front().lost + tally.bins.front().late);
}

TEST_CASE("a book of stalls holds any number of them")
{
    StallBook book(1ms);
    for (std::int64_t i = 0; i < 100'000; i++) {
        book.hand_over(i * 10'000'000, i * 10'000'000 + 3'000'000, 32, i * 10'000'000 + 1);
        book.hand_over(i * 10'000'000 + 1, i * 10'000'000 + 3'100'000, 8,
                       i * 10'000'000 + 3'200'000);
        book.hand_over(i * 10'000'000 + 3'200'000, i * 10'000'000 + 3'300'000, 1,
                       i * 10'000'000 + 3'400'000);
    }
    CHECK(book.stalls().size() <= StallBook::most_stalls);
    std::uint64_t stalls = 0;
    for (const Stall &stall : book.stalls()) {
        stalls += stall.stalls;
        CHECK(stall.burst == 40);
        CHECK(stall.longest == 3'100'000ns - 1ns);
    }
    CHECK(stalls == 100'000);
    CHECK(book.stalls().front().since == 0ns);
    CHECK(book.stalls().back().until == Nanoseconds(99'999 * 10'000'000LL + 3'100'000));
}
