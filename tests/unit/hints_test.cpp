// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/conclusion.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

// Returns a trial that looks like nothing.
TrialResult plain_trial()
{
    TrialResult result;
    result.server = "198.18.0.2";
    result.rate = {1'000};
    result.duration = 4s;
    result.queries = {.sent = 4'000, .valid = 4'000, .late = 0, .lost = 0, .invalid = {}};
    result.sending.duration = 4s;
    result.sending.lanes.resize(1);
    return result;
}

// Returns what the hint of this kind says; empty if there is none.
std::string said(const TrialResult &result, const std::string &kind)
{
    for (const Hint &hint : hints_of(result))
        if (hint.kind == kind)
            return hint.text;
    return {};
}

bool has_hint(const TrialResult &result, const std::string &kind)
{
    return !said(result, kind).empty();
}

void lose(TrialResult &result, std::uint64_t queries)
{
    result.queries.lost += queries;
    result.queries.valid -= queries;
}

TrialResult limited_trial(std::uint64_t lost, std::uint64_t truncated)
{
    TrialResult result = plain_trial();
    lose(result, lost);
    result.queries.valid -= truncated;
    result.queries.invalid.truncated = truncated;
    result.replies.tc = truncated;
    result.replies.sizes = {{.from = 32, .to = 47, .count = truncated},
                            {.from = 288, .to = 303, .count = result.queries.valid}};
    return result;
}

} // namespace

TEST_CASE("a trial that looks like nothing has no hint")
{
    CHECK(hints_of(plain_trial()).empty());
}

TEST_CASE("about as many empty replies with TC as lost queries look like a rate limit")
{
    const auto looks = [](std::uint64_t lost, std::uint64_t truncated) {
        TrialResult result = limited_trial(lost, truncated);
        result.mix.emplace();
        return has_hint(result, "rate_limit");
    };
    CHECK(looks(100, 100));
    CHECK(looks(60, 40));
    CHECK(looks(40, 60));
    CHECK_FALSE(looks(61, 39));
    CHECK_FALSE(looks(39, 61));
    CHECK(looks(20, 20));
    CHECK_FALSE(looks(19, 20));
    CHECK_FALSE(looks(20, 19));
    const std::vector<Hint> hints = hints_of(limited_trial(100, 90));
    REQUIRE(hints.size() == 1);
    TrialResult busy = limited_trial(1'100, 90);
    busy.mix.emplace();
    CHECK_FALSE(has_hint(busy, "rate_limit"));
    busy.server_drops = {400, 600};
    CHECK_THAT(said(busy, "rate_limit"), Contains("about as many, 100, got none"));
    CHECK_THAT(hints.front().text, Contains("rrl-ratelimit") && Contains("mod-rrl"));
    CHECK(hints.front().figures == decltype(Hint::figures){{"truncated", 90}, {"lost", 100}});
}

TEST_CASE("empty replies with TC look like a rate limit where other answers have the same length")
{
    const TrialResult limited = limited_trial(0, 20);
    CHECK_THAT(said(limited, "rate_limit"),
               Contains("20 queries") && Contains("with TC, and others got the whole answer (NSD"));
    CHECK_FALSE(has_hint(limited_trial(0, 19), "rate_limit"));
    const auto looks = [&](auto change) {
        TrialResult other = limited;
        change(other);
        return has_hint(other, "rate_limit");
    };
    CHECK(looks([](TrialResult &other) { lose(other, 3'000); }));
    CHECK(looks([](TrialResult &other) { other.list.emplace().distinct = 1; }));
    CHECK_FALSE(looks([](TrialResult &other) { other.list.emplace().distinct = 2; }));
    CHECK_FALSE(looks([](TrialResult &other) { other.mix.emplace(); }));
    CHECK_FALSE(looks([](TrialResult &other) { other.replay.emplace(); }));
    CHECK_FALSE(looks([](TrialResult &other) { other.queries.valid = 0; }));
}

TEST_CASE("what the Tester may have lost itself is no hint at the server")
{
    TrialResult result = plain_trial();
    lose(result, 40);
    result.cpus.resize(1);
    result.cpus[0].server_ran = 4s;
    result.interval = 1s;
    for (int i = 0; i < 4; i++)
        result.intervals.push_back({.since = i * 1s, .queries = {.sent = 1'000, .valid = 1'000}});
    result.intervals[0].queries.lost = 40;
    result.port_losses = PortLosses{.ports = 4, .with_losses = 1};
    const auto hints = [&](const OwnLosses &own) {
        result.own_losses = own;
        return hints_of(result).size();
    };
    CHECK(hints({}) == 3);
    CHECK(hints({.interface_receiving = 1}) == 1); // the full CPU
    CHECK(hints({.interface_receiving = 21}) == 0);
    CHECK(hints({.interface_sending = 21}) == 0);
    CHECK(hints({.interface_doubtful = 41}) == 0);
    CHECK(hints({.kinds = {{.name = "ring_full", .count = 21}}}) == 0);
}

TEST_CASE("truncated replies with records, other transports and many networks are no rate limit")
{
    TrialResult large = limited_trial(100, 100);
    large.replies.sizes = {{.from = 496, .to = 511, .count = 4'000}};
    CHECK_FALSE(has_hint(large, "rate_limit"));
    TrialResult over_tcp = limited_trial(100, 100);
    over_tcp.transport = Transport::tcp;
    CHECK_FALSE(has_hint(over_tcp, "rate_limit"));
    TrialResult played = limited_trial(100, 100);
    played.replay.emplace();
    CHECK(has_hint(played, "rate_limit"));
    played.replay->clients_in = "198.19.0.0/16";
    CHECK_FALSE(has_hint(played, "rate_limit"));
}

TEST_CASE("losses that are mostly drops of the server's sockets are a hint")
{
    TrialResult result = plain_trial();
    lose(result, 100);
    CHECK_FALSE(has_hint(result, "socket_buffer"));
    result.server_drops = {0, 50, 0};
    CHECK_THAT(said(result, "socket_buffer"),
               Contains("50 datagrams found the buffer of 1 of the server's 3 sockets full") &&
                   Contains("beside 100 lost"));
    result.stalls.emplace().tester.lost = 49;
    CHECK_THAT(said(result, "socket_buffer"), Contains("the server read them too late"));
    result.stalls->tester.lost = 50;
    CHECK_THAT(said(result, "socket_buffer"), Contains("the Tester sent most of these in bursts"));
    result.server_drops = {20, 29};
    CHECK_FALSE(has_hint(result, "socket_buffer"));
    result.server_drops = {100};
    CHECK(has_hint(result, "socket_buffer"));
    result.transport = Transport::doq;
    CHECK_FALSE(has_hint(result, "socket_buffer"));
    TrialResult few = plain_trial();
    few.server_drops = {100};
    lose(few, 19);
    CHECK_FALSE(has_hint(few, "socket_buffer"));
}

TEST_CASE("losses that spare some of the source ports are a hint")
{
    TrialResult result = plain_trial();
    lose(result, 1'000);
    CHECK_FALSE(has_hint(result, "source_ports"));
    const auto looks = [&](std::uint64_t ports, std::uint64_t with_losses) {
        result.port_losses = PortLosses{.ports = ports, .with_losses = with_losses};
        return has_hint(result, "source_ports");
    };
    CHECK(looks(100, 1));
    CHECK(looks(100, 90));
    CHECK_FALSE(looks(100, 91));
    CHECK_FALSE(looks(101, 1));
    CHECK_FALSE(looks(1, 1));
    CHECK(looks(2, 1));
    CHECK_THAT(said(result, "source_ports"), Contains("all 1000 lost queries left from 1 of 2"));
    result.queries.lost = result.queries.sent;
    CHECK_FALSE(looks(100, 1));
}

TEST_CASE("a server that fails and had a CPU for all the time of sending filled that CPU")
{
    TrialResult result = plain_trial();
    lose(result, 20);
    result.cpus.resize(3);
    result.cpus[1].cpu = 1;
    result.cpus[1].server_ran = 3'600ms;
    result.cpus[2].cpu = 2;
    result.cpus[2].server_ran = 1s;
    CHECK_THAT(said(result, "full_cpu"),
               Contains("had CPU 1 for 3.60 s in 4.00 s of sending: 1 of the 2 CPUs where it ran "
                        "was full"));
    TrialResult on_one = result;
    on_one.cpus[2].server_ran = 0s;
    CHECK_THAT(said(on_one, "full_cpu"), Contains("the only CPU where it ran was full"));
    result.cpus[2].server_ran = 4s;
    CHECK_THAT(said(result, "full_cpu"), Contains("and CPU 2 for 4.00 s") && Contains("were full"));
    result.cpus[2].server_ran = result.cpus[1].server_ran = 3'599ms;
    CHECK_FALSE(has_hint(result, "full_cpu"));
    TrialResult answering = result;
    answering.cpus[1].server_ran = 4s;
    CHECK(has_hint(answering, "full_cpu"));
    answering.queries.lost--;
    CHECK_FALSE(has_hint(answering, "full_cpu"));
}

TEST_CASE("losses that are all in the first second are a hint in a steady trial")
{
    TrialResult result = plain_trial();
    lose(result, 20);
    result.interval = 500ms;
    for (int i = 0; i < 8; i++)
        result.intervals.push_back({.since = i * 500ms, .queries = {.sent = 500, .valid = 500}});
    result.intervals[1].queries.lost = 15;
    result.intervals[0].queries.late = 5;
    CHECK(has_hint(result, "first_second"));
    const auto without = [&](auto change) {
        TrialResult other = result;
        change(other);
        return !has_hint(other, "first_second");
    };
    CHECK(without([](TrialResult &other) { other.intervals[2].queries.lost = 1; }));
    CHECK(without([](TrialResult &other) { other.intervals[7].queries.late = 1; }));
    CHECK(without([](TrialResult &other) { other.queries.lost--; }));
    CHECK(without([](TrialResult &other) { other.duration = 2'999ms; }));
    CHECK(without([](TrialResult &other) { other.intervals.clear(); }));
    CHECK(without([](TrialResult &other) { other.pace.kind = Pace::Kind::steps; }));
    CHECK(without([](TrialResult &other) { other.stalls.emplace().tester.lost = 1; }));
    CHECK(without([](TrialResult &other) { other.interval = 2s; }));
}

TEST_CASE("most queries' wait for a place on a connection is a hint")
{
    TrialResult result = plain_trial();
    result.queries.sent = 1'000;
    result.connections.emplace().counts.waited_for_pipeline = 500;
    CHECK_FALSE(has_hint(result, "waiting"));
    result.connections->counts.waited_for_pipeline = 501;
    CHECK_THAT(said(result, "waiting"), Contains("most RTTs begin in the Tester"));
}

TEST_CASE("RTTs that last until the delayed acknowledgement are a hint at Nagle's algorithm")
{
    TrialResult result = plain_trial();
    result.rate = {20'000};
    result.connections = ConnectionSummary{.at_once = 10, .acks = Acks::delayed};
    result.rtt.count = 1;
    const auto looks = [&](std::uint64_t median) {
        result.rtt.p50 = median;
        return has_hint(result, "nagle");
    };
    CHECK(looks(500'000));
    CHECK(looks(541'000));
    CHECK_FALSE(looks(499'000));
    CHECK_FALSE(looks(600'000));
    result.rate = {10};
    CHECK(looks(41'000'000));
    CHECK_FALSE(looks(36'000));
    result.connections->acks = Acks::quick;
    CHECK_FALSE(looks(41'000'000));
}

TEST_CASE("a trial has a hint where no packet came back, and only there")
{
    TrialResult result = plain_trial();
    result.port = 54;
    result.queries = {.sent = 5, .valid = 0, .late = 0, .lost = 5, .invalid = {}};
    CHECK_THAT(said(result, "silence"),
               Contains("nothing came back") && Contains("dig @198.18.0.2 -p 54"));
    result.strays.unexpected = 1;
    CHECK_FALSE(has_hint(result, "silence"));
}

TEST_CASE("several Testers have a hint for each server that sent nothing back")
{
    const TrialResult answered = plain_trial();
    TrialResult silent = answered;
    silent.queries = {.sent = 5, .valid = 0, .late = 0, .lost = 5, .invalid = {}};
    silent.server = "198.18.1.2";
    TrialResult whole = answered;
    whole.server = "198.18.0.2, 198.18.1.2";
    whole.testers = {{.rank = 0, .host = "alpha", .clock = {}, .trial = answered},
                     {.rank = 1, .host = "beta", .clock = {}, .trial = silent},
                     {.rank = 2, .host = "gamma", .clock = {}, .trial = silent},
                     {.rank = 3, .host = "delta", .clock = {}, .trial = {}}};
    CHECK_THAT(said(whole, "silence"), Contains("nothing came back to Tester 1 and Tester 2: ") &&
                                           Contains("dig @198.18.1.2 -p 53"));
    CHECK(hints_of(whole).size() == 1);
    whole.queries = silent.queries;
    whole.testers.front().trial->queries = silent.queries;
    REQUIRE(hints_of(whole).size() == 2);
    CHECK_THAT(hints_of(whole)[0].text,
               Contains("back to Tester 0: ") && Contains("dig @198.18.0.2 -p 53"));
    for (TesterResult &tester : whole.testers)
        tester.trial = answered;
    whole.queries = answered.queries;
    CHECK(hints_of(whole).empty());
}
