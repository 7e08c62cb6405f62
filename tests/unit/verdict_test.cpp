// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/verdict.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <utility>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

using JudgedTrial = Evidence; // and what is said of it

// Returns a trial in which nothing went wrong.
JudgedTrial good_trial()
{
    JudgedTrial result;
    result.rate = Rate{10'000};
    result.duration = 10s;
    result.timeout = 250ms;
    result.queries.sent = 100'000;
    result.queries.valid = 100'000;
    result.sending.duration = 10s;
    result.sending.achieved_rate = 10'000;
    return result;
}

void lose(JudgedTrial &result, std::uint64_t queries)
{
    result.queries.valid -= queries;
    result.queries.lost += queries;
}

Verdict judged(JudgedTrial &trial)
{
    trial.caveats.doubts.clear();
    take(trial, judge(trial));
    return trial.verdict;
}

} // namespace

TEST_CASE("all answered is a pass, one lost is a fail that says so")
{
    JudgedTrial result = good_trial();
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, Contains("1 of 100000") && Contains("1 lost"));
}

TEST_CASE("a server that falls behind until the end passes with a doubt")
{
    const auto doubts = [](const Backlog &backlog, auto change) {
        JudgedTrial result = good_trial();
        result.connections.emplace().backlog = backlog;
        change(result);
        static_cast<void>(judged(result));
        return result.caveats.doubts;
    };
    const auto same = [](JudgedTrial & /*result*/) {};
    const std::vector<std::string> found = doubts({10'000, 20'000, 30'000, 40'000}, same);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Contains("40000 had no reply yet (20000 at half)") &&
                             Contains("some 6000 queries/s") && Contains("for 1.2 s or more"));
    // The least growth, and the least backlog.
    CHECK(doubts({6'000, 12'000, 18'000, 40'000}, same).size() == 1);
    CHECK(doubts({5'999, 12'000, 18'000, 40'000}, same).empty());
    CHECK(doubts({10'000, 15'999, 25'000, 40'000}, same).empty());
    CHECK(doubts({10'000, 22'000, 34'001, 40'000}, same).empty());
    CHECK(doubts({1'250, 2'500, 3'750, 5'000}, same).size() == 1);
    CHECK(doubts({1'250, 2'500, 3'750, 4'999}, same).empty());
    CHECK(doubts({40'000, 40'000, 40'000, 40'000}, same).empty());
    CHECK(doubts({}, same).empty());
    const auto few = [](std::uint64_t at_end) {
        return
            [=](JudgedTrial &result) { result.queries.sent = result.queries.valid = 2 * at_end; };
    };
    CHECK(doubts({3, 5, 8, 10}, few(10)).size() == 1);
    CHECK(doubts({3, 5, 7, 9}, few(9)).empty());
    CHECK(doubts({10'000, 20'000, 30'000, 40'000}, [](JudgedTrial &result) {
              result.pace.kind = Pace::Kind::steps;
          }).empty());
    CHECK(doubts({10'000, 20'000, 30'000, 40'000}, [](JudgedTrial &result) {
              lose(result, 1);
          }).empty());
}

TEST_CASE("a failure over connections says what became of them")
{
    JudgedTrial result = good_trial();
    result.connections.emplace().counts = {.opened = 10, .left_open = 10, .octets_sent = 5};
    lose(result, 5);
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, !Contains("connections:"));
    result.connections.emplace().counts = {
        .opened = 10, .refused = 2, .reset_by_server = 1, .lost_unopened = 4, .lost_reset = 1};
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why,
               Contains("5 lost; connections: 2 refused by the server, 1 reset by the server, 4 "
                        "lost: their connection did not open, 1 lost: the server reset their "
                        "connection"));
    CHECK(result.caveats.doubts.empty());
}

TEST_CASE("a failure tells why TLS or HTTP/2 failed")
{
    JudgedTrial result = good_trial();
    lose(result, 5);
    result.connections.emplace().counts = {.tls_failed = 3, .tls_broken = 2};
    result.connections->tls.emplace().failure = "certificate verify failed";
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why,
               Contains("connections: 3 not opened: the TLS handshake failed, 2 ended by an error "
                        "of TLS; TLS failed first for this reason: certificate verify failed"));
    result.connections.emplace().counts = {.http_broken = 2};
    result.connections->http.emplace().failure = "a flood";
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, Contains("2 ended by an error of HTTP/2; HTTP/2 failed first for this "
                                    "reason: a flood"));
}

TEST_CASE("many retransmissions and missing stamps are doubts, few are not")
{
    JudgedTrial result = good_trial();
    result.connections.emplace().counts = {.opened = 50'000,
                                           .octets_sent = 100'000,
                                           .octets_unsent = 100,
                                           .segments = 100'000,
                                           .retransmissions = 100,
                                           .syn_retransmissions = 50,
                                           .unstamped = 100};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    for (const auto count :
         {&ConnectionCounts::retransmissions, &ConnectionCounts::syn_retransmissions,
          &ConnectionCounts::octets_unsent, &ConnectionCounts::unstamped})
        result.connections->counts.*count += 1;
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 4);
    CHECK_THAT(result.caveats.doubts[0], Contains("101 of 100000 segments were retransmitted"));
    CHECK_THAT(result.caveats.doubts[1],
               Contains("51 SYN segments were retransmitted beside 50000"));
    CHECK_THAT(result.caveats.doubts[2], Contains("101 of 100000 octets were left unsent"));
    CHECK_THAT(result.caveats.doubts[3],
               Contains("101 replies came without the kernel's receive stamp"));
}

TEST_CASE("what occurred once is told in the singular")
{
    JudgedTrial result = good_trial();
    result.queries = {.sent = 1, .valid = 0, .late = 0, .lost = 1, .invalid = {}};
    CHECK(judged(result) == Verdict::fail);
    CHECK(result.why == "1 of 1 query not answered right in time: 1 lost");
    result.own_losses.interface_receiving = 1;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("dropped 1 received packet") && !Contains("packets"));
    result.own_losses.interface_sending = 1;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("dropped 1 packet on its way out"));
    result.own_losses.kinds = {{.name = "unheard", .count = 0},
                               {.name = "refused",
                                .count = 1,
                                .why = {"AF_XDP refused {} query", "AF_XDP refused {} queries"}}};
    CHECK(judged(result) == Verdict::invalid);
    CHECK(result.why == "AF_XDP refused 1 query");
    result.own_losses.kinds[1].count = 2;
    CHECK(judged(result) == Verdict::invalid);
    CHECK(result.why == "AF_XDP refused 2 queries");
}

TEST_CASE(
    "options that disagree with a DNS64 server's are named where most answers have other data")
{
    JudgedTrial result = good_trial();
    result.answer = "64:ff9b::/96";
    result.queries.valid -= 50'001;
    result.queries.invalid.wrong_data = 50'001;
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, !Contains("options disagree"));
    result.dns64 = Dns64Conditions{};
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, Contains("options disagree") &&
                               Contains("--answer-prefix (64:ff9b::/96)") &&
                               Contains("--aaaa-share"));
    result.queries.valid++;
    result.queries.invalid.wrong_data--;
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, !Contains("options disagree"));
}

TEST_CASE("intervals that do not add up to the trial make it invalid")
{
    JudgedTrial result = good_trial();
    const IntervalSummary half{.queries = {.sent = 50'000, .valid = 50'000}};
    result.intervals = {half, half};
    CHECK(judged(result) == Verdict::pass);
    result.intervals[1].queries.valid--;
    result.intervals[1].queries.invalid.rcode++;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("intervals"));
    CHECK_FALSE(result.tester_was_limit);
    result.intervals = {half};
    CHECK(judged(result) == Verdict::invalid);
}

TEST_CASE("replies that nobody asked for are a doubt above one for a thousand queries")
{
    JudgedTrial result = good_trial();
    result.strays.unexpected = 60;
    result.strays.duplicate = 40;
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.strays.duplicate++;
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("60 unexpected and 41 duplicate") &&
                                             Contains("100000 queries") && Contains("in advance"));
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    CHECK(result.caveats.doubts.size() == 1);
    // A share of few queries says little.
    result = good_trial();
    result.queries = {.sent = 10, .valid = 10};
    result.strays.unexpected = 9;
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.strays.unexpected = 10;
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.size() == 1);
}

TEST_CASE("a window has no times that the Tester could miss")
{
    JudgedTrial result = good_trial();
    result.sending.duration = 11s;
    result.sending.lateness.max = 900'000'000;
    result.sending.planned = 200'000;
    CHECK(judged(result) == Verdict::invalid);
    result.window = WindowSummary{.places = 10, .mean_open = 10, .mean_open_by_rtt = 10};
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("queries left up to 900.000 ms late"));
}

TEST_CASE("places that the Tester fills late are a doubt, unless the window has a rate")
{
    JudgedTrial result = good_trial();
    result.window = WindowSummary{.places = 10, .mean_open = 9.1, .mean_open_by_rtt = 9.1};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.window->mean_open = result.window->mean_open_by_rtt = 8.9;
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("8.90 of 10 queries were open"));
    result.pace.most = Rate{5};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
}

TEST_CASE("open queries that contradict the RTTs are a doubt")
{
    JudgedTrial result = good_trial();
    result.rtt.mean = 100e6; // a hundredth of the time
    result.window = WindowSummary{.places = 100, .mean_open = 100, .mean_open_by_rtt = 105.9};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.window->mean_open_by_rtt = 93.9;
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("93.9 by Little's law"));
    // Queries without an answer may have been open beyond the end, for the timeout.
    lose(result, 1);
    result.window->mean_open_by_rtt = 108.4;
    static_cast<void>(judged(result));
    CHECK(result.caveats.doubts.empty());
}

TEST_CASE("an RTT that the link does not allow is a doubt")
{
    JudgedTrial result = good_trial();
    result.path.least_rtt = 300ns;
    result.rtt = {.count = 100'000, .min = 300, .histogram = {{300, 399, 100'000}}};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.rtt.min = 1;
    result.rtt.histogram = {{1, 1, 2}, {9, 9, 5}, {300, 399, 99'993}};
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("7 valid replies") && Contains("300 ns") &&
                                             Contains("shortest RTT is 1 ns"));
    result.path.least_rtt = {};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
}

TEST_CASE("an RTT that the set-up's certificate does not allow is a doubt that names it")
{
    JudgedTrial result = good_trial();
    result.path.least_rtt = 300ns;
    result.rtt = {
        .count = 100'000, .min = 1'100, .histogram = {{1'100, 1'107, 3}, {2'000, 2'015, 99'997}}};
    result.certificate = CertificateCover{.record = "/var/lib/dnsgauge/calibration-1.json",
                                          .finished = "2026-11-25T02:00:00Z",
                                          .why_not = {},
                                          .lax = {},
                                          .rtt_floor = RttFloor{2'200}};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.certificate->rtt_floor = RttFloor{2'210};
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0],
               Contains("3 valid replies came sooner than the certificate of 2026-11-25T02:00:00Z "
                        "(/var/lib/dnsgauge/calibration-1.json) allows on this set-up, 1105 ns") &&
                   Contains("the shortest RTT is 1100 ns"));
    // What nobody's link allows needs no certificate.
    result.rtt.min = 100;
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("this link allows") && !Contains("certificate"));
    // One that vouches for nothing has no floor.
    result.rtt.min = 1'100;
    result.certificate->rtt_floor = {};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
}

TEST_CASE("less than all can be accepted, to the query")
{
    JudgedTrial result = good_trial();
    result.accept_percent = 99.99;
    lose(result, 10);
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("a share that is met exactly is met, whatever the share is in binary")
{
    JudgedTrial result = good_trial();
    // 0.1 % of these counts are whole numbers; 99.9 is no double.
    const std::uint64_t thousands = GENERATE(1U, 41U, 82U, 83U, 100U, 60'000'000U);
    CAPTURE(thousands);
    result.accept_percent = 99.9;
    result.queries.sent = result.queries.valid = thousands * 1000;
    lose(result, thousands);
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    // One query more does not allow one more loss.
    result.queries.sent++;
    result.queries.lost = thousands;
    result.queries.valid = result.queries.sent - thousands;
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("a millionth of a percent is told from none")
{
    JudgedTrial result = good_trial();
    result.accept_percent = 99.999999;
    result.queries.sent = result.queries.valid = 100'000'000;
    lose(result, 1);
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    result.accept_percent = 0;
    result.queries.lost += std::exchange(result.queries.valid, 0);
    CHECK(judged(result) == Verdict::pass);
}

TEST_CASE("what the Tester did wrong makes a trial invalid, whatever the server did")
{
    JudgedTrial result = good_trial();
    if (GENERATE(false, true))
        lose(result, 5);
    RunFaults &end = result.faults;
    bool is_limit = true;
    SECTION("interrupted")
    {
        is_limit = false;
        end.interrupted = true;
        // Such counters tell nothing then.
        result.sending.lateness.max = 50'000'001;
    }
    SECTION("the link failed")
    {
        is_limit = false;
        end.link_failed = true;
    }
    SECTION("the next hop has another address")
    {
        is_limit = false;
        end.next_hop_moved = true;
    }
    SECTION("the interface's counters could not be read")
    {
        is_limit = false;
        end.not_counted = true;
    }
    SECTION("a sender ran on other CPUs than it was to")
    {
        is_limit = false;
        end.not_pinned_to = 0;
    }
    SECTION("the per-query file lacks records")
    {
        is_limit = false;
        end.not_logged = 1;
    }
    SECTION("the per-query file could not be written")
    {
        is_limit = false;
        end.log_failed = true;
    }
    SECTION("the engine lost a query")
    {
        result.own_losses.kinds = {{.count = 1, .why = {"{} lost", "{} lost"}}};
    }
    SECTION("the interface dropped queries")
    {
        lose(result, 1);
        result.own_losses.interface_sending = result.queries.lost;
    }
    SECTION("sending took too long")
    {
        result.sending.duration = 10s + 1001us;
    }
    SECTION("a query was too late")
    {
        result.sending.lateness.max = 50'000'001;
    }
    SECTION("the driver kept a query for too long")
    {
        result.sending.driver_lag = 50'000'001ns;
    }
    SECTION("the counts do not add up")
    {
        is_limit = false;
        result.queries.valid++;
    }
    CHECK(judged(result) == Verdict::invalid);
    CHECK_FALSE(result.why.empty());
    CHECK(result.tester_was_limit == is_limit);
}

TEST_CASE("what is within the tolerances changes nothing")
{
    JudgedTrial result = good_trial();
    result.sending.duration = 10s + 1ms;
    result.sending.lateness.max = 50'000'000;
    result.sending.driver_lag = 50'000'000ns;
    CHECK(judged(result) == Verdict::pass);
    // A long trial may end later: 1.00001 times its duration.
    result.duration = 200s;
    result.sending.duration = 200s + 2ms;
    CHECK(judged(result) == Verdict::pass);
    result.sending.duration = 200s + 2001us;
    CHECK(judged(result) == Verdict::invalid);
}

TEST_CASE("a query that left after its timeout is the driver's, however late queries may be")
{
    JudgedTrial result = good_trial();
    result.tolerances.lateness = 1500ms;
    result.sending.driver_lag = 250ms;
    lose(result, 100'000);
    CHECK(judged(result) == Verdict::fail);
    result.sending.driver_lag++;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("--timeout allows 250.000 ms") && Contains("stalled"));
    CHECK(result.tester_was_limit);
}

TEST_CASE("what our own side dropped was no query where all were answered")
{
    JudgedTrial result = good_trial();
    result.own_losses.interface_sending = 3;
    CHECK(judged(result) == Verdict::pass);
}

TEST_CASE("a trial of full length may take 1.00001 of its duration, and no more")
{
    JudgedTrial result = good_trial();
    result.duration = 60s;
    result.sending.duration = 60s + 600us;
    CHECK(judged(result) == Verdict::pass);
    result.sending.duration += 1ns;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("--max-overrun allows 0.600 ms"));
    // A trial that is a nanosecond shorter has the lower limit of short trials.
    result.duration = 60s - 1ns;
    CHECK(judged(result) == Verdict::pass);
    CHECK(overrun_allowed(60s - 1ns, {}) == 1ms);
    // A limit above the default holds; a limit below the default does not.
    CHECK(overrun_allowed(60s, {.overrun_least = 2ms}) == 2ms);
    CHECK(overrun_allowed(60s, {.overrun_least = 1us}) == 600us);
    CHECK(overrun_allowed(1s, {.overrun_least = 1us}) == 10us);
}

TEST_CASE("replies that our own side dropped excuse the server, but do not spoil a pass")
{
    JudgedTrial result = good_trial();
    result.own_losses.interface_receiving = 3;
    CHECK(judged(result) == Verdict::pass);
    lose(result, 3);
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("dropped 3 received packets"));
    CHECK(result.tester_was_limit);
}

TEST_CASE("where more was lost than our own side dropped, the server failed")
{
    JudgedTrial result = good_trial();
    result.own_losses.interface_receiving = 3;
    result.own_losses.interface_sending = 2;
    result.own_losses.interface_doubtful = 1;
    lose(result, 6);
    CHECK(judged(result) == Verdict::invalid);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0],
               Contains("dropped 5 packets") && Contains("failed even if"));
    // What else the Tester may have done cannot be counted.
    result.sending.lateness.max = 50'000'001;
    CHECK(judged(result) == Verdict::invalid);
    result.sending.lateness.max = 0;
    result.accept_percent = 99.999;
    CHECK(judged(result) == Verdict::invalid);
}

TEST_CASE("what a probe never saw arrive is no failure of the server")
{
    JudgedTrial result = good_trial();
    lose(result, 100);
    result.places = LossPlaces{.before_server = 100};
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("; but 100 queries never reached the server's network stack"));
    result.places = LossPlaces{.before_server = 99, .at_server = 1};
    CHECK(judged(result) == Verdict::fail);
    result.accept_percent = 99.95;
    CHECK(judged(result) == Verdict::invalid);
    result.places = LossPlaces{.before_server = 49, .at_server = 51};
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("a probe tells whether dropped packets can have been queries or replies")
{
    JudgedTrial result = good_trial();
    lose(result, 5);
    auto drops = GENERATE(&OwnLosses::interface_sending, &OwnLosses::interface_receiving,
                          &OwnLosses::interface_doubtful);
    result.own_losses.*drops = 100;
    CHECK(judged(result) == Verdict::invalid);
    result.places = LossPlaces{.at_server = 5};
    CHECK(judged(result) == Verdict::fail);
    const bool are_queries = drops == &OwnLosses::interface_sending;
    result.places = are_queries ? LossPlaces{.before_server = 5} : LossPlaces{.behind_server = 5};
    CHECK(judged(result) == Verdict::invalid);
    result.places = are_queries ? LossPlaces{.behind_server = 5}
                                : LossPlaces{.at_server = 1, .behind_server = 4};
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("more deaths at the server than stalls can have cost are the server's")
{
    JudgedTrial result = good_trial();
    lose(result, 100);
    result.stalls = StallSummary{.queries = 95'000, .delayed = 49};
    result.stalls->tester.lost = 100;
    CHECK(judged(result) == Verdict::invalid);
    result.places = LossPlaces{.at_server = 100};
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, Contains("; the probe saw 100 queries die at the server, and stalls can "
                                    "have cost 98 at most"));
    result.stalls->delayed = 50;
    CHECK(judged(result) == Verdict::invalid);
    result.stalls->delayed = 49;
    result.places = LossPlaces{.at_server = 98, .behind_server = 2};
    CHECK(judged(result) == Verdict::invalid);
    result.places = LossPlaces{.at_server = 100};
    result.stalls->forgotten = 1;
    CHECK(judged(result) == Verdict::invalid);
}

TEST_CASE("the server is not blamed for queries lost on the way beside what stalls cost")
{
    JudgedTrial result = good_trial();
    lose(result, 100);
    result.stalls = StallSummary{.queries = 1'000, .delayed = 500};
    result.stalls->tester.lost = 50;
    CHECK(judged(result) == Verdict::fail);
    result.places = LossPlaces{.before_server = 50, .at_server = 50};
    CHECK(judged(result) == Verdict::invalid);
    result.places = LossPlaces{.before_server = 49, .at_server = 51};
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("a run that stopped before its end is invalid, whatever was answered")
{
    JudgedTrial result = good_trial();
    result.sending.planned = 100'000;
    CHECK(judged(result) == Verdict::pass);
    result.sending.planned++;
    CHECK(judged(result) == Verdict::invalid);
    CHECK(result.why == "100000 of 100001 queries were sent");
}

TEST_CASE("a server that died is told from one that lost as many queries")
{
    JudgedTrial result = good_trial();
    lose(result, 5);
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, !Contains("stopped"));
    result.silent_since = 2400ms;
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, Contains("5 lost; the server stopped answering at 2.4 s"));
}

TEST_CASE("limits of a shared machine grow with the trial, and what they bore is told")
{
    const Tolerances shared{.shared_machine = true};
    CHECK(overrun_allowed(1s, shared) == 10ms);
    CHECK(overrun_allowed(100s, shared) == 100ms);
    CHECK(overrun_allowed(1s, {.overrun_least = 20ms, .shared_machine = true}) == 20ms);
    CHECK(lateness_allowed(250ms, shared) == 50ms);
    CHECK(lateness_allowed(2s, shared) == 100ms);
    CHECK(lateness_allowed(2s, {}) == 50ms);
    CHECK(others_allowed(shared) == 25);
    CHECK(others_allowed({.others_percent = 50, .shared_machine = true}) == 50);

    JudgedTrial result = good_trial();
    result.cpus = {{.cpu = 0, .receives = true, .elapsed = 10s, .others = 2s}};
    result.timeout = 2s;
    result.rtt.count = 1;
    result.rtt.p50 = 62'000;
    result.sending.lateness.max = 54'000'000;
    result.sending.duration += 2600us;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("--max-overrun allows 1.000 ms") && Contains("kept the rate") &&
                               Contains("--shared-machine"));
    result.tolerances.shared_machine = true;
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0],
               Contains("up to 54.000 ms late") && Contains("2.600 ms longer") &&
                   Contains("2.000 s of 10.000 s of CPU 0") && Contains("median 0.062 ms"));
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    CHECK(result.caveats.doubts.size() == 1);
    // Limits that were not needed leave no doubt.
    result = good_trial();
    result.tolerances.shared_machine = true;
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    // Limits that were loosened one by one leave the same doubt.
    result.tolerances = {.lateness = 60s};
    result.sending.lateness.max = 54'000'000;
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.size() == 1);
}

TEST_CASE("a Tester that cannot reach the rate is not told to loosen a limit")
{
    JudgedTrial result = good_trial();
    result.sending.duration = 12s;
    result.sending.achieved_rate = 8'333;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("reached 8333 of 10000") && !Contains("--shared-machine"));
}

namespace
{

// A trial of ten seconds whose sender had CPU 0, and whose replies came in on CPU 1.
JudgedTrial trial_on_two_cpus()
{
    JudgedTrial result = good_trial();
    result.cpus = {{.cpu = 0, .sends = true, .elapsed = 10s},
                   {.cpu = 1, .receives = true, .elapsed = 10s}};
    return result;
}

// Each way in which others can take a CPU of the Tester for so long.
using Taking = void (*)(JudgedTrial &, Nanoseconds);
const std::vector<std::pair<const char *, Taking>> takings = {
    {"the sender waited", [](JudgedTrial &r, Nanoseconds t) { r.cpus[0].sender_waited = t; }},
    {"the server", [](JudgedTrial &r, Nanoseconds t) { r.cpus[0].server_ran = t; }},
    {"the server", [](JudgedTrial &r, Nanoseconds t) { r.cpus[0].server_waited = t; }},
    {"others", [](JudgedTrial &r, Nanoseconds t) { r.cpus[1].others = t; }},
    {"others", [](JudgedTrial &r, Nanoseconds t) { r.cpus[1].unseen = t; }},
    {"hypervisor", [](JudgedTrial &r, Nanoseconds t) { r.cpus[0].steal = t; }},
    {"hypervisor", [](JudgedTrial &r, Nanoseconds t) { r.cpus[1].steal = t; }}};

} // namespace

TEST_CASE("what was lost while others had the Tester's CPU is not the server's failure")
{
    for (const auto &[who, take] : takings) {
        CAPTURE(who);
        JudgedTrial result = trial_on_two_cpus();
        lose(result, 1);
        CHECK(judged(result) == Verdict::fail);
        take(result, 500ms); // five per cent
        CHECK(judged(result) == Verdict::fail);
        CHECK(result.caveats.doubts.empty());
        take(result, 501ms);
        CHECK(judged(result) == Verdict::invalid);
        CHECK_THAT(result.why, Contains("1 of 100000") && Contains(who) && Contains("0.501 s"));
        CHECK(result.tester_was_limit);
    }
}

TEST_CASE("what passes while others have the Tester's CPU passes, with a doubt")
{
    for (const auto &[who, take] : takings) {
        JudgedTrial result = trial_on_two_cpus();
        take(result, 501ms);
        CHECK(judged(result) == Verdict::pass);
        REQUIRE(result.caveats.doubts.size() == 1);
        CHECK_THAT(result.caveats.doubts[0], Contains(who));
    }
}

TEST_CASE("a want of CPU changes no answers, and does not keep all of them away")
{
    JudgedTrial result = trial_on_two_cpus();
    result.cpus[1].others = 9s;
    SECTION("wrong answers")
    {
        result.queries.valid -= 2;
        result.queries.invalid.rcode = 2;
    }
    SECTION("silence")
    {
        lose(result, result.queries.sent);
    }
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("others on a CPU of a server on this machine are a doubt, or why nothing is known")
{
    JudgedTrial result = trial_on_two_cpus();
    result.cpus.push_back(
        {.cpu = 2,
         .elapsed = 10s,
         .server_ran = 1s,
         .others = 2s,
         .guests = {
             {.cpu = 2, .process = 12, .name = "sh", .side = CpuGuest::Side::other, .ran = 2s}}});
    CHECK(judged(result) == Verdict::pass);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK(result.caveats.doubts[0] ==
          "others (sh (process 12) 2.000 s) had 2.000 s of 10.000 s of CPU 2, "
          "on which the server runs");
    lose(result, 1);
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("1 of 100000") && Contains("sh (process 12) 2.000 s"));
    // What is wrong is the server's own fault, whoever had its CPU.
    result.queries.valid--;
    result.queries.invalid.rcode = 1;
    CHECK(judged(result) == Verdict::fail);
    CHECK(result.caveats.doubts.size() == 1);
}

TEST_CASE("a process that may be the server's is a doubt, and no reason")
{
    JudgedTrial result = trial_on_two_cpus();
    result.cpus[1].guests = {
        {.cpu = 1, .process = 7, .name = "x", .side = CpuGuest::Side::unknown, .ran = 500ms}};
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts.empty());
    result.cpus[1].guests[0].ran = 501ms;
    CHECK(judged(result) == Verdict::pass);
    CHECK(result.caveats.doubts ==
          std::vector<std::string>{"whether the server or others had CPU 1 (x (process 7) 0.501 s) "
                                   "is not known"});
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    CHECK(result.caveats.doubts.size() == 1);
}

TEST_CASE("if sending did not keep its time, the reason names who had the sender's CPU")
{
    JudgedTrial result = trial_on_two_cpus();
    result.cpus[0].sender_waited = 2s;
    result.sending.duration += 2s;
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("longer than the trial's duration"));
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK_THAT(result.caveats.doubts[0], Contains("the sender waited 2.000 s of 10.000 s for CPU"));
}

TEST_CASE("processes of one name are told together, and few names are told")
{
    constexpr auto other = CpuGuest::Side::other;
    JudgedTrial result = trial_on_two_cpus();
    result.cpus.push_back({.cpu = 2,
                           .elapsed = 10s,
                           .server_ran = 1s,
                           .others = 4s,
                           .guests = {{2, 12, "make", other, 1s},
                                      {2, 13, "cc1", other, 900ms},
                                      {2, 14, "cc1", other, 800ms},
                                      {2, 15, "as", other, 600ms},
                                      {2, 16, "ld", other, 400ms},
                                      {2, 17, "sh", other, 300ms}}});
    judged(result);
    REQUIRE(result.caveats.doubts.size() == 1);
    CHECK(result.caveats.doubts[0] ==
          "others (cc1 (2 processes) 1.700 s, make (process 12) 1.000 s, as (process 15) 0.600 s, "
          "ld (process 16) 0.400 s, and others) had 4.000 s of 10.000 s of CPU 2, "
          "on which the server runs");
}

TEST_CASE("the kernel's ticks tell little of a short trial")
{
    JudgedTrial result = trial_on_two_cpus();
    lose(result, 1);
    result.cpus[1].elapsed = 100ms;
    result.cpus[1].unseen = cpu_time_least;
    CHECK(judged(result) == Verdict::fail);
    result.cpus[1].unseen += 1ms;
    CHECK(judged(result) == Verdict::invalid);
}

TEST_CASE("drops that may have been replies are no failure of the server, as far as they go")
{
    JudgedTrial result = good_trial();
    result.own_losses.interface_doubtful = 2;
    CHECK(judged(result) == Verdict::pass);
    lose(result, 2);
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("it is unknown whether replies were among them"));
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("a rate is more than the Tester can offer if it alone is why the trial is invalid")
{
    JudgedTrial result = good_trial();
    bool is_beyond = true;
    SECTION("most queries were late")
    {
        result.sending.duration = 11s;
        result.sending.lateness.p50 = 1'000'001;
    }
    SECTION("the Tester fell ever further behind")
    {
        result.sending.lateness.max = 50'000'001;
        result.sending.achieved_rate = 8'999;
    }
    SECTION("the Tester caught up again")
    {
        is_beyond = false;
        result.sending.lateness.max = 50'000'001;
        result.sending.achieved_rate = 9'000;
    }
    SECTION("few queries were late: a stall is no reason")
    {
        is_beyond = false;
        result.sending.lateness.max = 50'000'001;
        result.sending.lateness.p50 = 1'000'000;
    }
    SECTION("sockets, ports or buffers were used up")
    {
        result.own_losses.kinds = {{.count = 1, .why = {"{} lost", "{} lost"}}};
    }
    SECTION("queries that a stall cost")
    {
        is_beyond = false;
        result.own_losses.kinds = {
            {.count = 1, .why = {"{} lost", "{} lost"}, .is_of_stall = true}};
    }
    SECTION("the interface dropped queries")
    {
        lose(result, 5);
        result.own_losses.interface_sending = 5;
    }
    SECTION("others had the Tester's CPU")
    {
        is_beyond = false;
        result.sending.lateness.max = 50'000'001;
        result.sending.lateness.p50 = 1'000'001;
        result.cpus = {{}};
        result.cpus[0].sends = true;
        result.cpus[0].elapsed = 10s;
        result.cpus[0].sender_waited = 5s;
    }
    SECTION("the trial was cut short")
    {
        is_beyond = false;
        result.sending.lateness.p50 = 1'000'001;
        result.faults.interrupted = true;
    }
    CHECK(judged(result) == Verdict::invalid);
    CHECK(result.rate_not_offered == is_beyond);
    result = good_trial();
    result.sending.lateness.p50 = 1'000'001;
    CHECK(judged(result) == Verdict::pass);
    CHECK_FALSE(result.rate_not_offered);
}
