// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/conclusion.h"

#include "record/json.h"
#include "support/scratch_directory.h"
#include "support/some_capture.h"
#include "support/some_part.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

std::vector<TesterPart> some_parts(std::uint32_t testers)
{
    std::mt19937 random(testers);
    std::vector<TesterPart> parts;
    for (std::uint32_t rank = 0; rank < testers; rank++)
        parts.push_back(some_part(random, rank, testers));
    return parts;
}

TrialPlan some_window_plan()
{
    TrialPlan plan = some_joint_plan();
    plan.pace = parse_pace("window=7");
    plan.rate = SchedulePlan::highest_of(*plan.pace);
    return plan;
}

// Returns the part of one of two Testers, which kept up to seven queries open for a second.
TesterPart some_window_part(std::uint32_t rank, std::uint64_t queries, Nanoseconds rtt,
                            std::uint64_t lost = 0)
{
    std::mt19937 random(rank);
    TrialPlan plan = some_joint_plan();
    plan.rate = Rate{queries};
    TesterPart part = some_part(random, 0, 1, lost, plan);
    part.rank = rank;
    part.host = "host" + std::to_string(rank);
    part.machine = part.host;
    Tally &tally = part.measured->tally;
    RttTally rtts;
    for (std::uint64_t i = 0; i < queries - lost; i++)
        rtts.add(static_cast<std::uint64_t>(rtt.count()));
    tally.replies.queries.rtts = rtts;
    tally.lanes[0].share = rank;
    tally.lanes[0].window = {
        .places = 7, .open = (queries - lost) * rtt + lost * plan.timeout, .ran = 1s};
    return part;
}

// The sums over the buckets of several results.
std::map<std::uint64_t, std::uint64_t> buckets(const std::vector<const RttSummary *> &summaries)
{
    std::map<std::uint64_t, std::uint64_t> sums;
    for (const RttSummary *summary : summaries)
        for (const CountedRange &range : summary->histogram)
            sums[range.from] += range.count;
    return sums;
}

} // namespace

TEST_CASE("the counts of several Testers add up, to the query")
{
    const TrialResult whole = conclude(some_joint_plan(), some_parts(3), 3);
    CHECK(whole.verdict == Verdict::pass);
    CHECK(whole.why == "every query was answered right and in time");
    CHECK(whole.queries.sent == 1000);
    CHECK(whole.queries.valid == 1000);
    CHECK(whole.strays.duplicate == 1 + 2 + 3);
    CHECK(whole.own_losses.interface.at("rx_dropped") == 1 + 2 + 3);
    REQUIRE(whole.own_losses.kinds.size() == 1);
    CHECK(whole.own_losses.kinds[0].count == 0);
    CHECK(whole.sending.planned == 1000);
    CHECK(whole.sending.lanes.size() == 3);
    CHECK(whole.rate == Rate{1000});
    CHECK(whole.server == "198.18.0.2, 198.18.1.2, 198.18.2.2");
    CHECK(whole.circumstances.interface == "g0");
    CHECK(whole.cpus.empty());
    // The Testers' wall clocks may differ: the first one tells the beginning.
    CHECK(whole.since == 100s);
    CHECK(whole.until == 104s);
    REQUIRE(whole.testers.size() == 3);
    std::uint64_t sent = 0;
    for (const TesterResult &tester : whole.testers) {
        REQUIRE(tester.trial);
        CHECK(tester.trial->verdict == Verdict::pass);
        CHECK(tester.trial->queries.sent == tester.trial->sending.planned);
        sent += tester.trial->queries.sent;
    }
    CHECK(sent == 1000);
    CHECK(whole.testers[1].trial->rate == Rate{333});
    CHECK(whole.testers[1].trial->circumstances.interface == "g1");
    CHECK(whole.testers[1].trial->cpus.size() == 1);
}

TEST_CASE("a server that answered nothing more is said to have stopped, and when")
{
    TrialPlan plan = some_joint_plan();
    plan.timeout = 250ms;
    const auto why = [&plan](std::uint64_t lost, std::uint32_t testers) {
        std::mt19937 random(3);
        std::vector<TesterPart> parts;
        for (std::uint32_t rank = 0; rank < testers; rank++)
            parts.push_back(some_part(random, rank, testers, lost / testers, plan));
        return conclude(plan, parts, testers).why;
    };
    CHECK_THAT(why(600, 1), Contains("600 lost; the server stopped answering at 0.4 s"));
    CHECK_THAT(why(600, 2), Contains("600 lost; the server stopped answering at 0.4 s"));
    // A reply to the last queries may still be under way when others have their timeout.
    CHECK_THAT(why(200, 1), !Contains("stopped"));
    CHECK_THAT(why(1000, 1), !Contains("stopped"));
    // One query in the silence was answered late.
    std::mt19937 random(3);
    TesterPart part = some_part(random, 0, 1, 600, plan);
    LaneTally &lane = part.measured->tally.lanes[0];
    lane.intervals.clear();
    lane.misses.bins[500].lost--;
    lane.misses.bins[500].late++;
    part.measured->tally.replies.queries.states[QUERY_LATE]++;
    const TrialResult result = conclude(plan, {part}, 1);
    CHECK(result.verdict == Verdict::fail);
    CHECK_THAT(result.why, Contains("599 lost, 1 late") && !Contains("stopped"));
}

TEST_CASE("each Tester plans the queries of its own clients in a capture")
{
    const ScratchDirectory scratch;
    TrialPlan plan = some_joint_plan();
    const std::string file = scratch.file("some.pcap");
    give_part<CaptureWorkload>(plan.workload).files = {file};
    plan.duration = 10s;
    write_capture(file, {"192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1"});
    load_list(plan);
    std::vector<TesterPart> parts = some_parts(2);
    parts[0].measured->clients_in = "10.0.0.0/16";
    parts[0].measured->keeps_client_ports = true;
    parts[1].measured->clients_in = "10.1.0.0/16";
    const TrialResult whole = conclude(plan, parts, 2);
    CHECK(whole.sending.planned == 4);
    CHECK(whole.testers[0].trial->sending.planned == 3);
    CHECK(whole.testers[1].trial->sending.planned == 1);
    CHECK(whole.testers[0].trial->replay->clients_in == "10.0.0.0/16");
    CHECK(whole.replay->clients_in == "10.0.0.0/16, 10.1.0.0/16");
    CHECK(whole.testers[0].trial->replay->keeps_ports);
    CHECK_FALSE(whole.replay->keeps_ports);
    // The made-up parts sent other numbers of queries.
    CHECK(whole.verdict == Verdict::invalid);
}

TEST_CASE("the RTTs of several Testers are all replies' RTTs")
{
    const TrialResult whole = conclude(some_joint_plan(), some_parts(4), 4);
    std::vector<const RttSummary *> parts;
    std::uint64_t longest = 0;
    std::uint64_t shortest = ~std::uint64_t{0};
    double sum = 0;
    for (const TesterResult &tester : whole.testers) {
        const RttSummary &rtt = tester.trial->rtt;
        parts.push_back(&rtt);
        longest = std::max(longest, rtt.max);
        shortest = std::min(shortest, rtt.min);
        sum += rtt.mean * static_cast<double>(rtt.count);
    }
    CHECK(buckets({&whole.rtt}) == buckets(parts));
    CHECK(whole.rtt.count == 1000);
    CHECK(whole.rtt.max == longest);
    CHECK(whole.rtt.min == shortest);
    CHECK(whole.rtt.mean == Approx(sum / 1000));
    // The percentile of the sums, which no mean of percentiles is.
    std::uint64_t seen = 0;
    for (const CountedRange &range : whole.rtt.histogram) {
        seen += range.count;
        if (seen >= 990) {
            CHECK(whole.rtt.p99 == std::min(range.to, whole.rtt.max));
            break;
        }
    }
}

TEST_CASE("intervals of several Testers merge by interval")
{
    const TrialResult whole = conclude(some_joint_plan(), some_parts(2), 2);
    REQUIRE(whole.intervals.size() == 2);
    CHECK(whole.intervals[0].queries.sent == 500);
    CHECK(whole.intervals[1].queries.valid == 500);
    CHECK(whole.intervals[1].rtt.count == 500);
}

TEST_CASE("the whole has the worst Tester's lateness")
{
    std::vector<TesterPart> parts = some_parts(2);
    parts[1].measured->tally.lanes[0].lateness.add(40'000'000);
    const TrialResult whole = conclude(some_joint_plan(), parts, 2);
    CHECK(whole.verdict == Verdict::pass);
    CHECK(whole.sending.lateness.max == 40'000'000);
}

TEST_CASE("the windows of several Testers add up, and fit the RTTs of all replies")
{
    const TrialPlan plan = some_window_plan();
    std::vector<TesterPart> parts{some_window_part(0, 700, 10ms), some_window_part(1, 330, 20ms)};
    TrialResult whole = conclude(plan, parts, 2);
    CHECK(whole.verdict == Verdict::pass);
    CHECK(whole.why == "every query was answered right and in time");
    CHECK(whole.caveats.doubts.empty());
    CHECK(whole.sending.planned == 1030);
    CHECK(whole.testers[0].trial->sending.planned == 700);
    CHECK(whole.testers[1].trial->sending.planned == 330);
    CHECK(whole.rate == Rate{1030});
    CHECK(whole.testers[1].trial->rate == Rate{330});
    REQUIRE(whole.window);
    CHECK(whole.window->places == 14);
    CHECK(whole.window->answered_rate == Approx(1030));
    CHECK(whole.window->mean_open == Approx(13.6));
    CHECK(whole.window->mean_open_by_rtt == Approx(13.6));
    REQUIRE(whole.testers[1].trial->window);
    CHECK(whole.testers[1].trial->window->mean_open_by_rtt == Approx(6.6));
    SECTION("a Tester whose names end early has no open queries afterwards")
    {
        parts[1].measured->tally.lanes[0].window.open = 3300ms;
        parts[1].measured->tally.lanes[0].window.ran = 500ms;
        whole = conclude(plan, parts, 2);
        CHECK(whole.window->mean_open == Approx(7 + 3.3));
        CHECK(whole.testers[1].trial->window->mean_open == Approx(6.6));
    }
    SECTION("open queries that contradict the RTTs are a doubt about the whole, too")
    {
        parts[1].measured->tally.lanes[0].window.open = 4s;
        whole = conclude(plan, parts, 2);
        CHECK(whole.verdict == Verdict::pass);
        REQUIRE(whole.caveats.doubts.size() == 4);
        CHECK_THAT(whole.caveats.doubts[0], Contains("11.00 of 14 queries were open"));
        CHECK_THAT(whole.caveats.doubts[1],
                   Contains("11 queries were open on average, but 13.6 by Little"));
        CHECK_THAT(whole.caveats.doubts[2], Contains("Tester 1 (host1): 4.00 of 7 queries"));
        CHECK_THAT(whole.caveats.doubts[3], Contains("Tester 1 (host1): 4 queries were open"));
    }
    SECTION("the last queries' time beyond the end explains some of it")
    {
        parts = {some_window_part(0, 70, 100ms), some_window_part(1, 70, 100ms)};
        for (TesterPart &part : parts)
            part.measured->tally.lanes[0].window.open = 6400ms;
        CHECK(conclude(plan, parts, 2).caveats.doubts.empty());
    }
}

TEST_CASE("no server is said to have stopped answering a window, whose queries have no schedule")
{
    TesterPart part = some_window_part(0, 1000, 1ms, 500);
    part.measured->tally.lanes[0].intervals.clear();
    const std::string why = conclude(some_window_plan(), {part}, 1).why;
    CHECK_THAT(why, Contains("500 lost") && !Contains("stopped"));
}

TEST_CASE("a query that one Tester's server lost makes the whole a fail")
{
    std::mt19937 random(1);
    const TrialResult whole =
        conclude(some_joint_plan(), {some_part(random, 0, 2), some_part(random, 1, 2, 3)}, 2);
    CHECK(whole.verdict == Verdict::fail);
    CHECK_THAT(whole.why, Contains("3 of 1000 queries") && Contains("3 lost"));
    CHECK(whole.queries.lost == 3);
    CHECK(whole.testers[0].trial->verdict == Verdict::pass);
    CHECK(whole.testers[1].trial->verdict == Verdict::fail);
}

TEST_CASE("a burst of one Tester is why another one's queries are lost")
{
    std::mt19937 random(4);
    std::vector<TesterPart> parts{some_part(random, 0, 2), some_part(random, 1, 2, 3)};
    std::vector<Stall> &stalls = parts[0].measured->tally.lanes[0].stalls;
    stalls = {{.since = 900ms, .until = 994ms, .longest = 90ms, .burst = 90}};
    const TrialResult whole = conclude(some_joint_plan(), parts, 2);
    CHECK(whole.verdict == Verdict::invalid);
    CHECK(whole.tester_was_limit);
    REQUIRE(whole.stalls);
    CHECK(whole.stalls->decided);
    CHECK(whole.stalls->tester.lost == 3);
    CHECK_THAT(whole.why, Contains("3 of 1000") && Contains("; but all within") &&
                              Contains("of a burst of 90 queries"));
    CHECK(whole.testers[0].trial->verdict == Verdict::pass);
    CHECK(whole.testers[1].trial->verdict == Verdict::invalid);
    // The burst may cost as many queries of either Tester.
    for (const TesterResult &tester : whole.testers)
        CHECK(std::abs(static_cast<double>(tester.trial->stalls->delayed) -
                       static_cast<double>(whole.stalls->delayed)) <= 2);

    // Long before the losses.
    stalls = {{.since = 10ms, .until = 100ms, .longest = 90ms, .burst = 90}};
    CHECK(conclude(some_joint_plan(), parts, 2).verdict == Verdict::fail);
    // One Tester's stalls decide its own part, and not what another one's queries show.
    parts[0] = some_part(random, 0, 2, 400);
    parts[0].measured->tally.lanes[0].stalls = {
        {.since = 900ms, .until = 994ms, .longest = 90ms, .burst = 90}};
    CHECK(conclude(some_joint_plan(), parts, 2).verdict == Verdict::fail);
}

TEST_CASE("a probe decides whose the lost queries are")
{
    std::mt19937 random(1);
    TesterPart part = some_part(random, 0, 1, 3);
    const std::uint64_t sent = conclude(some_joint_plan(), {part}, 1).queries.sent;
    part.measured->probe = ProbeResult{.arrived = sent - 3, .followed = sent - 3, .left = sent - 3};
    const TrialResult on_the_way = conclude(some_joint_plan(), {part}, 1);
    CHECK(on_the_way.verdict == Verdict::invalid);
    CHECK_THAT(on_the_way.why, Contains("3 lost; but 3 queries never reached"));
    part.measured->probe->arrived = part.measured->probe->followed = sent;
    part.measured->probe->unanswered = 3;
    CHECK(conclude(some_joint_plan(), {part}, 1).verdict == Verdict::fail);
}

TEST_CASE("an absence of the server's CPU that two Testers note is one")
{
    std::mt19937 random(4);
    std::vector<TesterPart> parts{some_part(random, 0, 2), some_part(random, 1, 2, 3)};
    for (TesterPart &part : parts)
        part.measured->server_stalls = {
            {.who = Stalled::server, .since = 900ms, .until = 994ms, .longest = 90ms}};
    const TrialResult whole = conclude(some_joint_plan(), parts, 2);
    CHECK(whole.verdict == Verdict::invalid);
    REQUIRE(whole.stalls);
    CHECK(whole.stalls->decided);
    CHECK(whole.stalls->server.all.stalls == 1);
    CHECK(whole.stalls->server.lost == 3);
    CHECK_THAT(whole.why, Contains("after the server's CPU had been away for 90.000 ms"));
}

TEST_CASE("one Tester's invalid part makes the whole invalid, and is named")
{
    std::vector<TesterPart> parts = some_parts(3);
    Measurement &bad = *parts[1].measured;
    SECTION("it was too slow")
    {
        bad.tally.lanes[0].lateness.add(60'000'000);
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why,
                   Catch::StartsWith("Tester 1 (host1): a query was sent 60.000 ms late"));
        CHECK(whole.tester_was_limit);
    }
    SECTION("its kernel did not send all")
    {
        bad.tally.lanes[0].unsent = 1;
        bad.losses.kinds[0].count = 1;
        bad.tally.replies.queries.states[QUERY_VALID]--;
        bad.tally.replies.queries.rcodes[0]--;
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why, Catch::StartsWith("Tester 1 (host1): 1 was not sent"));
        REQUIRE(whole.own_losses.kinds.size() == 1);
        CHECK(whole.own_losses.kinds[0].count == 1);
    }
    SECTION("it was interrupted")
    {
        bad.faults.interrupted = true;
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why, Catch::StartsWith("Tester 1 (host1): interrupted"));
        CHECK_FALSE(whole.tester_was_limit);
    }
    SECTION("it was still sending long after the others")
    {
        bad.faults.interrupted = true;
        parts[1].was_told_to_stop = true;
        bad.tally.lanes[0].last_sent = 12s;
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why, Catch::StartsWith("Tester 1 (host1): was not done long after the "
                                                "others") &&
                                  Contains("sent 333 of 333 queries in 12.0"));
        CHECK(whole.tester_was_limit);
    }
    SECTION("it was told to stop, and was done")
    {
        parts[1].was_told_to_stop = true;
        CHECK(conclude(some_joint_plan(), parts, 3).verdict == Verdict::pass);
    }
    SECTION("its clock deviated")
    {
        parts[1].clock = {.before = {.offset = 1h, .bound = 5us},
                          .after = ClockReading{.offset = 1h + 51ms, .bound = 5us}};
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why,
                   Catch::StartsWith("Tester 1 (host1): its queries left up to 51.005 ms "
                                     "off the common schedule"));
        CHECK_FALSE(whole.tester_was_limit);
    }
    SECTION("it sent nothing")
    {
        parts[1].measured.reset();
        parts[1].clock.after.reset();
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why, Catch::StartsWith("Tester 1 (host1): sent no part of the trial"));
        CHECK(whole.queries.sent == 667);
        const auto lost = to_json(whole)["testers"][1];
        for (const char *unknown : {"trial", "clock_after", "schedule_error_ns"})
            CHECK(lost[unknown].is_null());
    }
    SECTION("it has no sender for its share, and says nothing")
    {
        bad.tally = {};
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::invalid);
        CHECK_THAT(whole.why, Contains("the Testers sent 667 of 1000 queries"));
    }
}

TEST_CASE("what one Tester's interface dropped is no excuse for what another one lacks")
{
    std::mt19937 random(2);
    std::vector<TesterPart> parts{some_part(random, 0, 2), some_part(random, 1, 2, 3)};
    parts[0].measured->losses.interface_receiving = 5;
    CHECK(conclude(some_joint_plan(), parts, 2).verdict == Verdict::fail);
    parts[1].measured->losses.interface_receiving = 5;
    const TrialResult whole = conclude(some_joint_plan(), parts, 2);
    CHECK(whole.verdict == Verdict::invalid);
    CHECK_THAT(whole.why, Contains("Tester 1 (host1)") && Contains("dropped 5 received packets"));
}

TEST_CASE("what an interface dropped excuses no more queries than its Tester lacks")
{
    std::mt19937 random(3);
    std::vector<TesterPart> parts{some_part(random, 0, 2, 1), some_part(random, 1, 2, 50)};
    TrialPlan plan = some_joint_plan();
    plan.accept_percent = 99;
    parts[0].measured->losses.interface_doubtful = 500;
    // 949 of 1000 were answered; with the one that Tester 0 may have dropped, 950.
    CHECK(conclude(plan, parts, 2).verdict == Verdict::fail);
    plan.accept_percent = 95;
    const TrialResult whole = conclude(plan, parts, 2);
    CHECK(whole.verdict == Verdict::invalid);
    CHECK_THAT(whole.why, Contains("Tester 0 (host0) dropped 1 received packet"));
}

TEST_CASE("replies that may have come to another Tester's interface are not the server's loss")
{
    std::mt19937 random(4);
    std::vector<TesterPart> parts{some_part(random, 0, 2), some_part(random, 1, 2, 500)};
    parts[1].measured->tally.replies = {};
    for (TesterPart &part : parts)
        part.measured->circumstances.next_hop_mac = "02:00:00:00:00:01";
    // Another machine answers no ARP for this one.
    CHECK(conclude(some_joint_plan(), parts, 2).verdict == Verdict::fail);
    parts[1].machine = parts[0].machine;
    const TrialResult whole = conclude(some_joint_plan(), parts, 2);
    CHECK(whole.verdict == Verdict::invalid);
    CHECK_THAT(whole.why,
               Catch::StartsWith("Tester 1 (host1): nothing came back, but the same next hop "
                                 "brought replies to Tester 0 (host0)"));
    CHECK_FALSE(whole.tester_was_limit);
    // A link of its own leads to another next hop.
    parts[1].measured->circumstances.next_hop_mac = "02:00:00:00:00:02";
    CHECK(conclude(some_joint_plan(), parts, 2).verdict == Verdict::fail);
}

TEST_CASE("the size on the wire follows each Tester's packets")
{
    std::vector<TesterPart> parts = some_parts(2);
    parts[0].measured->wire_overhead = 66;
    parts[1].measured->wire_overhead = 90; // IPv6, and a VLAN
    CHECK(conclude(some_joint_plan(), parts, 2).replies.wire_octets == Approx(76 + 78));
}

TEST_CASE("a Tester's doubts have its name")
{
    std::vector<TesterPart> parts = some_parts(2);
    parts[1].measured->cpus[0].steal = 500ms;
    const TrialResult whole = conclude(some_joint_plan(), parts, 2);
    CHECK(whole.verdict == Verdict::pass);
    REQUIRE(whole.caveats.doubts.size() == 1);
    CHECK_THAT(whole.caveats.doubts.front(),
               Catch::StartsWith("Tester 1 (host1): the hypervisor took 0.500 s"));
}

TEST_CASE("Testers of one machine that send from one CPU leave a doubt")
{
    std::vector<TesterPart> parts = some_parts(3);
    const auto set = [&parts](std::size_t part, const char *machine, std::vector<unsigned> cpus) {
        parts[part].machine = machine;
        parts[part].measured->circumstances.sender_cpus = std::move(cpus);
        parts[part].measured->cpus.clear();
    };
    const auto doubts = [&parts] {
        const TrialResult whole = conclude(some_joint_plan(), parts, 3);
        CHECK(whole.verdict == Verdict::pass);
        return whole.caveats.doubts;
    };
    set(0, "m", {1, 2});
    set(1, "n", {1, 2});
    set(2, "m", {0, 3});
    CHECK(doubts().empty());
    set(2, "m", {2});
    REQUIRE(doubts().size() == 1);
    CHECK_THAT(doubts()[0],
               Contains("Tester 0 (host0) and Tester 2 (host2) send from CPU 2 alike"));
    set(1, "m", {1, 2});
    CHECK(doubts().size() == 2); // of CPU 1, and of CPU 2
    for (TesterPart &part : parts)
        part.machine.clear();
    CHECK(doubts().empty());
}

TEST_CASE("a Tester that sends where another one of its machine receives leaves a doubt")
{
    std::vector<TesterPart> parts = some_parts(3);
    const auto set = [&parts](std::size_t part, std::vector<unsigned> sends,
                              const std::vector<unsigned> &receives) {
        Measurement &measured = *parts[part].measured;
        parts[part].machine = "m";
        measured.circumstances.sender_cpus = std::move(sends);
        measured.cpus.clear();
        for (const unsigned cpu : measured.circumstances.sender_cpus)
            measured.cpus.push_back({.cpu = cpu, .sends = true});
        for (const unsigned cpu : receives)
            measured.cpus.push_back({.cpu = cpu, .receives = true});
    };
    const auto doubts = [&parts] { return conclude(some_joint_plan(), parts, 3).caveats.doubts; };
    set(0, {0, 1}, {0, 1, 7});
    set(1, {2}, {5});
    set(2, {3, 4}, {6});
    CHECK(doubts().empty()); // a Tester's own replies are its own affair
    set(1, {2}, {3, 4, 5});
    REQUIRE(doubts().size() == 1);
    CHECK_THAT(doubts()[0],
               Catch::StartsWith("Tester 2 (host2) sends from CPU 3,4, on which replies to "
                                 "Tester 1 (host1) are received: "));
    set(0, {0, 1}, {4});
    REQUIRE(doubts().size() == 2);
    CHECK_THAT(doubts()[0], Contains("CPU 4, on which replies to Tester 0 (host0) and Tester 1"));
    CHECK_THAT(doubts()[1], Contains("CPU 3, on which replies to Tester 1 (host1) are"));
    // Two that send from the CPU are told of already.
    set(0, {3, 4}, {3});
    set(1, {2}, {});
    REQUIRE(doubts().size() == 1);
    CHECK_THAT(doubts()[0], Contains("alike"));
    set(0, {0, 1}, {3});
    CHECK(doubts().size() == 1);
    parts[0].machine = "n";
    CHECK(doubts().empty());
    parts[0].machine.clear();
    parts[2].machine.clear();
    CHECK(doubts().empty());
    parts[0].measured.reset();
    CHECK(doubts().empty());
}

TEST_CASE("a Tester with another kernel leaves a doubt")
{
    std::vector<TesterPart> parts = some_parts(3);
    for (TesterPart &part : parts)
        part.measured->circumstances.kernel = "Linux 6.18.1 x86_64";
    CHECK(conclude(some_joint_plan(), parts, 3).caveats.doubts.empty());
    parts[2].measured->circumstances.kernel = "Linux 6.1.0 x86_64";
    const TrialResult whole = conclude(some_joint_plan(), parts, 3);
    CHECK(whole.verdict == Verdict::pass);
    REQUIRE(whole.caveats.doubts.size() == 1);
    CHECK_THAT(whole.caveats.doubts[0],
               Contains("Tester 2 (host2) has another kernel (Linux 6.1.0 x86_64) than Tester 0"));
}

TEST_CASE("RTTs are held against the certificate of the plan, of each Tester")
{
    TrialPlan plan = some_joint_plan();
    const auto doubts = [&plan](std::uint32_t testers) {
        return conclude(plan, some_parts(testers), testers).caveats.doubts;
    };
    const std::size_t before = doubts(1).size();
    plan.certificate.emplace();
    plan.certificate->record = "calibration.json";
    plan.certificate->rtt_floor = RttFloor{2};
    CHECK(doubts(1).size() == before);
    plan.certificate->rtt_floor = RttFloor{60'000'000'000};
    REQUIRE(doubts(1).size() == before + 1);
    CHECK_THAT(doubts(1).back(), Contains("calibration.json"));
    const std::vector<std::string> of_two = doubts(2);
    const std::string all = nlohmann::ordered_json(of_two).dump();
    CHECK_THAT(all, Contains("Tester 0") && Contains("Tester 1") && Contains("calibration.json"));
}

TEST_CASE("a Tester alone has a result without parts")
{
    const TrialResult one = conclude(some_joint_plan(), some_parts(1), 1);
    CHECK(one.verdict == Verdict::pass);
    CHECK(one.testers.empty());
    CHECK(one.cpus.size() == 1);
    CHECK_FALSE(to_json(one).contains("testers"));
}
