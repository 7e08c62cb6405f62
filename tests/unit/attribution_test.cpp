// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What stalls cost in simulated trials, and the books of stalls and misses.
#include "trial/attribution.h"

#include "engine/stall_book.h"
#include "support/simulated_trial.h"
#include "trial/verdict.h"
#include "xdp/driver_lag.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

// Returns what the stalls cost, at 1,000,000 queries/s in a second.
StallSummary costs_of(const std::vector<Stall> &stalls, const MissTally &misses,
                      Nanoseconds timeout = 250ms, const std::vector<Silence> &silences = {})
{
    const Rate rate{1'000'000};
    return attribute(
        stalls, misses, {.limit = stall_limit(rate), .duration = 1s, .timeout = timeout},
        [&](Nanoseconds at) { return queries_in(rate, std::clamp<Nanoseconds>(at, 0ns, 1s)); },
        silences);
}

// Returns one query's fate: the query was sent at this time.
MissTally missed(Nanoseconds at, query_state state)
{
    MissBook book(stall_limit(Rate{1'000'000}));
    book.settle(at.count(), state);
    return book.tally();
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

TEST_CASE("where the Tester stands still nearly always, nothing is said about the server")
{
    const Simulated trial = simulate({.rate = Rate{100'000},
                                      .duration = 1s,
                                      .served = 150'000,
                                      .loss = 0.0002,
                                      .tester_stops = stops_of(5ms, 6ms, 1s)});
    REQUIRE(trial.queries.lost > 0);
    CHECK(trial.verdict == Verdict::invalid);
    CHECK(trial.stalls->decided);
    CHECK_THAT(trial.why, Contains("the Tester stood still too often to say more: only ") &&
                              Contains(" of 100000 queries were sent outside of stalls"));
}

TEST_CASE("a server that fails long after stalls as often as soon after them fails, and it says so")
{
    const Simulated trial = simulate({.rate = Rate{100'000},
                                      .duration = 1s,
                                      .served = 40'000,
                                      .tester_stops = stops_of(5ms, 50ms, 1s)});
    CHECK(trial.verdict == Verdict::fail);
    CHECK(10 * trial.stalls->failed() > 9 * trial.queries.lost);
    CHECK_THAT(trial.why, Contains("; long after stalls ") && Contains(" queries failed, too"));
}

TEST_CASE("what forgotten stalls cost counts as the server's, which is a doubt")
{
    Simulated trial = simulate({.loss = 0.005, .tester_stops = {{2s, 43ms}}});
    CHECK(trial.caveats.doubts.empty());
    trial.stalls->forgotten = 7;
    const Judgement judgement = judge(trial);
    CHECK(judgement.verdict == Verdict::fail);
    REQUIRE(judgement.doubts.size() == 1);
    CHECK_THAT(judgement.doubts[0], Contains("what 7 short stalls cost counts as the server's"));
}

TEST_CASE("a probe tells a server that pauses by itself right after a stall")
{
    const bool is_probed = GENERATE(false, true);
    const Simulated stalled = simulate({.tester_stops = {{2s, 20ms}}, .is_probed = is_probed});
    REQUIRE(stalled.queries.lost > 0);
    CHECK(stalled.verdict == Verdict::invalid);
    const Simulated paused = simulate({.tester_stops = {{2s, 20ms}},
                                       .server_pauses = {{2'010ms, 200ms}},
                                       .is_probed = is_probed});
    CHECK(paused.verdict == (is_probed ? Verdict::fail : Verdict::invalid));
    CHECK((paused.why.find("; the probe saw ") != std::string::npos) == is_probed);
}

TEST_CASE("queries are delayed while the Tester stands still, and while the server does")
{
    const auto delayed = [](const std::vector<Stall> &stalls) {
        return costs_of(stalls, {}).delayed;
    };
    const Stall tester{.since = 10ms, .until = 12ms, .longest = 1ms, .burst = 1'000};
    const Stall server{.who = Stalled::server, .since = 11ms, .until = 13ms, .longest = 2ms};
    // A stall counts from the beginning of a bin of time, about 1 ms, on.
    CHECK(delayed({tester}) >= 2'000);
    CHECK(delayed({tester}) < 3'100);
    CHECK(delayed({tester, tester}) == delayed({tester}));
    CHECK(delayed({tester, server}) == delayed({tester}) + delayed({server}));
}

TEST_CASE("what others may take is another matter than stalls")
{
    Simulated trial = simulate({.tester_stops = {{2s, 43ms}}});
    trial.tolerances.others_percent = 100;
    CHECK(judge(trial).verdict == Verdict::invalid);
}

TEST_CASE("a connection that goes silent because of a stall costs queries until its end")
{
    const Stall away{.who = Stalled::server, .since = 10ms, .until = 11ms, .longest = 1ms};
    const auto lost_at = [&](Nanoseconds at, const std::vector<Silence> &silences) {
        return costs_of({away}, missed(at, QUERY_OUTSTANDING), 250ms, silences).server.lost;
    };
    CHECK(lost_at(500ms, {}) == 0);
    CHECK(lost_at(500ms, {{10'500us, 600ms}}) == 1);
    CHECK(lost_at(610ms, {{10'500us, 600ms}}) == 0);
    // The server silences connections at other times, too.
    CHECK(lost_at(500ms, {{40ms, 600ms}}) == 0);
    CHECK(lost_at(800ms, {{10'500us, 600ms}, {500ms, 900ms}}) == 0);
}

TEST_CASE("bursts of several senders count together, and a small one is none")
{
    const Stall late{.since = 10ms, .until = 10'100us, .longest = 80us, .burst = 20};
    const MissTally lost = missed(10'090us, QUERY_OUTSTANDING);
    // One of four senders is 80 us late: 20 queries.
    CHECK(costs_of({late}, lost).tester.all.stalls == 0);
    CHECK(costs_of({late}, lost).failed() == 0);
    const StallSummary four = costs_of({late, late, late, late}, lost);
    CHECK(four.tester.all.stalls == 4);
    CHECK(four.tester.lost == 1);
    // One after the other they are none.
    std::vector<Stall> in_turn(4, late);
    Nanoseconds later{};
    for (Stall &each : in_turn) {
        each.since += later;
        each.until += later;
        later += 81us;
    }
    CHECK(costs_of(in_turn, lost).tester.all.stalls == 0);
    // What waits while the server's CPU is away comes on top.
    const Stall away{.who = Stalled::server, .since = 10ms, .until = 10'060us, .longest = 60us};
    CHECK(costs_of({away}, lost).failed() == 0);
    CHECK(costs_of({away, late}, lost).failed() == 1);
    CHECK(costs_of({away, late}, lost).server.all.stalls == 1);
}

TEST_CASE("a reply is late because of a stall where its timeout ends in the stall")
{
    const std::vector<Stall> stall{
        {.since = 500ms, .until = 543ms, .longest = 43ms, .burst = 43'000}};
    CHECK(costs_of(stall, missed(520ms, QUERY_LATE)).tester.late == 1);
    CHECK(costs_of(stall, missed(260ms, QUERY_LATE)).tester.late == 1);
    CHECK(costs_of(stall, missed(499ms, QUERY_LATE)).failed() == 0); // 249 ms were left, 43 taken
    CHECK(costs_of(stall, missed(240ms, QUERY_LATE)).failed() == 0);
    CHECK(costs_of(stall, missed(260ms, QUERY_OUTSTANDING)).failed() == 0);
    CHECK(costs_of(stall, missed(499ms, QUERY_LATE), 20ms).tester.late == 1);
}

TEST_CASE("a machine that stands still as a whole may lose what is outstanding")
{
    const Stall tester{.since = 500ms, .until = 543ms, .longest = 43ms, .burst = 43'000};
    Stall server{.who = Stalled::server, .since = 501ms, .until = 540ms, .longest = 39ms};
    CHECK(costs_of({tester, server}, missed(260ms, QUERY_OUTSTANDING)).tester.lost == 1);
    CHECK(costs_of({tester, server}, missed(480ms, QUERY_LATE)).tester.late == 1);
    CHECK(costs_of({tester, server}, missed(240ms, QUERY_OUTSTANDING)).failed() == 0);
    server.since = 600ms;
    server.until = 640ms;
    CHECK(costs_of({tester, server}, missed(260ms, QUERY_OUTSTANDING)).failed() == 0);
}

TEST_CASE("the times between stalls have two halves, without what follows a stall at once")
{
    const std::vector<Stall> stalls{
        {.since = 100ms, .until = 110ms, .longest = 10ms, .burst = 9999},
        {.since = 320ms, .until = 330ms, .longest = 10ms, .burst = 9999}};
    MissBook book(stall_limit(Rate{1'000'000}));
    for (const Nanoseconds at : {50ms, 105ms, 119ms, 150ms, 230ms, 240ms, 400ms, 800ms})
        book.settle(at.count(), QUERY_OUTSTANDING);
    const StallSummary summary = costs_of(stalls, book.tally());
    CHECK(summary.soon.failed == 2);
    CHECK(summary.later.failed == 4);
    CHECK(summary.soon.queries / 1000 == 429);
    CHECK(summary.later.queries / 1000 == 529);
}

TEST_CASE("what a Tester's burst costs a good server makes the trial invalid, and says why")
{
    const Simulated trial = simulate({.tester_stops = {{2s, 43ms}}});
    REQUIRE(trial.queries.lost > 200);
    CHECK(trial.verdict == Verdict::invalid);
    CHECK(trial.tester_was_limit);
    CHECK(trial.stalls->decided);
    CHECK(trial.stalls->tester.all.stalls == 1);
    CHECK(trial.stalls->tester.all.longest == 43ms);
    CHECK(trial.stalls->tester.lost == trial.queries.lost);
    CHECK_THAT(trial.why, Contains("; but all within ") && Contains(" of a burst of 10") &&
                              Contains("stood still for 43.000 ms"));
}

TEST_CASE("catching up slowly spares a server the burst, and changes nobody's blame")
{
    const Simulation stopped{.tester_stops = {{2s, 43ms}}, .catch_up = 2};
    const Simulated good = simulate(stopped);
    CHECK(good.verdict == Verdict::pass);
    CHECK(good.stalls->tester.all.largest_burst == 1076);
    Simulation slow = stopped;
    slow.served = 30'000;
    const Simulated busy = simulate(slow);
    CHECK(busy.verdict == Verdict::invalid);
    CHECK(busy.stalls->tester.lost == busy.queries.lost);
    CHECK_THAT(
        busy.why,
        Contains(" of a backlog of 1076 queries that the Tester sent, at 2 times the rate at "
                 "most, after it had stood still for 43.000 ms"));
    Simulation lossy = stopped;
    lossy.loss = 0.005;
    CHECK(simulate(lossy).verdict == Verdict::fail);
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
    Stops stops;
    for (int i = 1; i <= 3; i++)
        stops.push_back({i * 1s, 43ms});
    const Simulated beside = simulate({.loss = 0.005, .tester_stops = stops});
    CHECK(beside.verdict == Verdict::fail);
    CHECK_FALSE(beside.stalls->decided);
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

TEST_CASE("a server near its capacity loses long after a stall, because of the stall")
{
    const Simulated trial = simulate(
        {.served = 25'000 / 0.97, .tester_stops = {{1s, 43ms}, {2s, 5ms}, {2200ms, 20ms}}});
    REQUIRE(trial.queries.lost > 500);
    CHECK(trial.verdict == Verdict::invalid);
    CHECK(trial.stalls->decided);
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
    Stops stops;
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
    CHECK(judge(trial).verdict == Verdict::fail);
}

TEST_CASE("times that do not add up to the losses make the trial invalid")
{
    Simulated trial = simulate({.tester_stops = {{2s, 43ms}}});
    trial.misses = *trial.misses - 1;
    CHECK_THAT(judge(trial).why, Contains("do not add up"));
}

TEST_CASE("a book of misses holds any number of bins, to the query")
{
    MissBook book(138us);
    CHECK(book.tally().width() == 131'072ns);
    CHECK(MissBook(69ms).tally().width() == 1'048'576ns);
    std::uint64_t number = 0;
    for (std::int64_t at = 0; at < 60'000'000'000; at += 100'000, number++)
        book.settle(at, number % 3 == 0 ? QUERY_LATE : QUERY_OUTSTANDING);
    book.settle(1, QUERY_VALID);
    const MissTally &tally = book.tally();
    CHECK(tally.width_bits == 19);
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
    MissTally sum{.width_bits = 17,
                  .bins = {{.number = 9, .lost = 1}, {.number = 600'000, .late = 2}}};
    sum.add(tally);
    CHECK(sum.width_bits == 19);
    CHECK(sum.bins.size() == tally.bins.size() + 1);
    CHECK(sum.bins[2].lost + sum.bins[2].late == tally.bins[2].lost + tally.bins[2].late + 1);
    // Nothing lost makes no bin wider.
    MissTally fine = MissBook(69us).tally();
    MissTally none;
    none.add(fine);
    fine.add(MissTally{.bins = {}});
    CHECK(fine.width_bits == 16);
    none.add({.width_bits = 16, .bins = {{.number = 1, .lost = 1}}});
    CHECK(none.width_bits == 16);
}

TEST_CASE("a book of stalls keeps the longest ones apart, and counts the others")
{
    StallBook book(1ms);
    constexpr std::int64_t apart = 10'000'000;
    constexpr std::int64_t count = 100'000;
    for (std::int64_t i = 0; i < count; i++) {
        const std::int64_t length = i % 50 == 0 ? 5'000'000 : 1'500'000;
        book.hand_over(i * apart, i * apart + length, 32, i * apart + 1);
        book.hand_over(i * apart + 1, i * apart + length + 100'000, 8,
                       i * apart + length + 200'000);
        book.hand_over(i * apart + length + 200'000, i * apart + length + 300'000, 1,
                       i * apart + length + 400'000);
    }
    CHECK(book.stalls().size() <= StallBook::most_stalls);
    CHECK(book.stalls().size() == count / 50);
    CHECK(book.forgotten() == count - count / 50);
    CHECK(book.stalls().front().since == 0ns);
    for (const Stall &stall : book.stalls()) {
        CHECK(stall.burst == 40);
        CHECK(stall.longest == 5'100'000ns - 1ns);
        CHECK(stall.until - stall.since == 5'100'000ns);
    }
}

TEST_CASE("a burst is what was overdue at once, however long a sender is a little late")
{
    StallBook book(1ms);
    // 1,500 us late, and then 600 us for long: a query each 100 us.
    std::int64_t due = 0;
    book.hand_over(due, due + 1'500'000, 16, due + 1'600'000);
    CHECK(book.stalls().size() == 1);
    CHECK(book.stalls().back().burst == 16);
    due = 10'000'000;
    book.hand_over(due, due + 1'500'000, 8, due + 800'000);
    for (int i = 8; i < 1000; i++)
        book.hand_over(due + i * 100'000, due + i * 100'000 + 600'000, 1, due + (i + 1) * 100'000);
    book.close();
    REQUIRE(book.stalls().size() == 2);
    CHECK(book.stalls().back().burst <= 16);
}

TEST_CASE("a driver that keeps queries for longer than usual stalls")
{
    DriverLag lag(4096);
    StallBook book(1ms);
    std::uint64_t gone = 0;
    std::uint64_t given = 0;
    // A query each 40 us. The driver takes two at once, and tells nothing from the 400th ms on, for
    // 43 ms.
    for (std::int64_t now = 0; now < 1'000'000'000; now += 20'000) {
        if (now % 40'000 == 0) {
            lag.hand_over(given, now);
            given++;
        }
        if (given - gone >= 2 && (now < 400'000'000 || now >= 443'000'000))
            gone = given;
        const std::int64_t delay = lag.see(given, gone, now);
        if (book.is_driver_stall(delay))
            book.note_driver(given == gone ? now : lag.due_of(gone), now, delay, given - gone);
    }
    REQUIRE(book.stalls().size() == 1);
    const Stall &stall = book.stalls().front();
    CHECK(stall.longest > 42ms);
    CHECK(stall.longest < 44ms);
    CHECK(stall.burst >= 1070);
    CHECK(stall.since <= 400'040us);
    CHECK(stall.until >= 442'900us);
    CHECK(stall.until < 444ms);
    // One that always keeps queries for long does not stall.
    DriverLag slow(4096);
    StallBook patient(1ms);
    bool is_seen = false;
    for (std::uint64_t n = 0; n < 10'000; n++) {
        const auto now = static_cast<std::int64_t>(n) * 40'000;
        slow.hand_over(n, now);
        const std::uint64_t kept = n / 100;
        is_seen =
            slow.see(n + 1, n - std::min<std::uint64_t>(kept, 100), now) > 1'000'000 || is_seen;
    }
    CHECK_FALSE(is_seen);
}
