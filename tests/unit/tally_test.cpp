// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_tally.h"
#include "engine/tally.h"
#include "support/counted_replies.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <tuple>

using namespace dnsgauge;
using dnsgauge::testing::count_valid;
using namespace std::chrono_literals;

namespace
{

const SchedulePlan schedule{.rate = Rate{1000}, .duration = 5s};
constexpr std::uint64_t planned = 5000;

LaneTally some_lane(std::mt19937 &random, std::uint32_t share)
{
    LaneTally lane;
    lane.share = share;
    lane.queue = share % 2;
    lane.cpu = share;
    lane.handed_over = 1000 + random() % 100;
    lane.unsent = random() % 3;
    lane.not_logged = random() % 3;
    lane.kicks = random() % 1000;
    lane.ran = std::chrono::nanoseconds(random());
    lane.waited = std::chrono::nanoseconds(random());
    lane.nice = random() % 2 == 0 ? best_nice : 0;
    lane.is_pinned = random() % 2 == 0;
    lane.link_failed = random() % 2 == 0;
    lane.last_sent = std::chrono::nanoseconds(random());
    lane.overrun = std::chrono::nanoseconds(random() % 1000);
    lane.driver_lag = std::chrono::nanoseconds(random() % 1000);
    for (int i = 0; i < 100; i++)
        lane.lateness.add(random() % 100'000);
    lane.bursts = {0, random() % 100, random() % 100};
    lane.stamps = {.transmitted = 10, .received = 10, .contradictory = 0};
    for (int i = 0; i < 10; i++)
        lane.hardware_rtts.add(random() % 100'000);
    IntervalBook book({.length = 1s, .run = 1s});
    for (int i = 0; i < 10; i++)
        book.settle(i % 2 * 1'000'000'000, QUERY_VALID, 0, random() % 100'000);
    lane.intervals = book.tallies();
    return lane;
}

Tally some_tally(std::mt19937 &random, std::initializer_list<std::uint32_t> shares)
{
    Tally tally;
    for (const std::uint32_t share : shares)
        tally.lanes.push_back(some_lane(random, share));
    for (int i = 0; i < 500; i++)
        count_valid(tally.replies, random() % 1'000'000);
    for (unsigned state = 0; state < QUERY_STATES; state++)
        if (state != QUERY_VALID)
            tally.replies.queries.states[state] = random() % 20;
    for (const StrayClass &each : stray_classes)
        tally.replies.strays.*each.count = random() % 20;
    return tally;
}

bool same(const RttSummary &one, const RttSummary &other)
{
    const auto figures = [](const RttSummary &rtt) {
        return std::tuple(rtt.count, rtt.min, rtt.mean, rtt.stddev, rtt.p50, rtt.p90, rtt.p99,
                          rtt.p99_9, rtt.max);
    };
    const auto same_range = [](const CountedRange &a, const CountedRange &b) {
        return a.from == b.from && a.to == b.to && a.count == b.count;
    };
    return figures(one) == figures(other) &&
           std::ranges::equal(one.histogram, other.histogram, same_range);
}

bool same(const SendingSummary &one, const SendingSummary &other)
{
    const auto figures = [](const SendingSummary &sending) {
        return std::tuple(sending.planned, sending.duration, sending.achieved_rate,
                          sending.lateness.p50, sending.lateness.p99, sending.lateness.max,
                          sending.driver_lag, sending.kicks, sending.bursts);
    };
    return figures(one) == figures(other);
}

bool same_lane(const LaneTally &one, const LaneTally &other)
{
    const auto figures = [](const LaneTally &lane) {
        return std::tuple(lane.share, lane.handed_over, lane.unsent, lane.kicks, lane.last_sent,
                          lane.driver_lag, lane.lateness.count(), lane.lateness.max(), lane.bursts,
                          lane.stamps.received, lane.queue, lane.cpu, lane.not_logged, lane.ran,
                          lane.waited, lane.nice, lane.is_pinned, lane.link_failed);
    };
    return figures(one) == figures(other) &&
           same(one.hardware_rtts.summary(), other.hardware_rtts.summary());
}

void check_same(const Tally &one, const Tally &other)
{
    CHECK(one.replies.queries.states == other.replies.queries.states);
    CHECK(one.replies.queries.rcodes == other.replies.queries.rcodes);
    for (const StrayClass &each : stray_classes)
        CHECK(one.replies.strays.*each.count == other.replies.strays.*each.count);
    CHECK(std::ranges::equal(one.lanes, other.lanes, same_lane));
    CHECK(one.log_failed == other.log_failed);
    const TallySummary of_one = summarize(one, schedule, planned);
    const TallySummary of_other = summarize(other, schedule, planned);
    CHECK(same(of_one.rtt, of_other.rtt));
    CHECK(same(of_one.rtt_hardware, of_other.rtt_hardware));
    CHECK(same(of_one.sending, of_other.sending));
    REQUIRE(of_one.intervals.size() == of_other.intervals.size());
    for (std::size_t i = 0; i < of_one.intervals.size(); i++)
        CHECK(
            same(summarize(of_one.intervals[i], 0s).rtt, summarize(of_other.intervals[i], 0s).rtt));
}

} // namespace

TEST_CASE("tallies merge in any order, and in any groups")
{
    std::mt19937 random(11);
    const Tally a = some_tally(random, {0, 2});
    const Tally b = some_tally(random, {1});
    const Tally c = some_tally(random, {2, 3}); // another interval of share 2
    check_same(merge(a, b), merge(b, a));
    check_same(merge(a, c), merge(c, a));
    check_same(merge(merge(a, b), c), merge(a, merge(b, c)));
    CHECK(merge(merge(a, b), c).lanes.size() == 4);
}

TEST_CASE("nothing merged with a tally is that tally")
{
    std::mt19937 random(12);
    const Tally some = some_tally(random, {0, 1});
    check_same(merge(some, {}), some);
    check_same(merge({}, some), some);
}

TEST_CASE("merged tallies have the RTTs of one tally of all replies")
{
    std::mt19937 random(13);
    Tally all;
    Tally merged;
    for (int part = 0; part < 3; part++) {
        Tally one;
        for (int i = 0; i < 100; i++) {
            const std::uint64_t rtt = 1000 + random() % 1'000'000;
            count_valid(one.replies, rtt);
            count_valid(all.replies, rtt);
        }
        merged = merge(merged, one);
    }
    CHECK(same(summarize(merged, schedule, planned).rtt, summarize(all, schedule, planned).rtt));
}

TEST_CASE("the figures of a tally are sums over its lanes, or the worst lane's")
{
    Tally tally;
    tally.lanes = {
        {.share = 0,
         .handed_over = 10,
         .unsent = 1,
         .last_sent = 5ms,
         .driver_lag = 7ns,
         .bursts = {0, 10}},
        {.share = 1, .handed_over = 9, .last_sent = 18ms, .driver_lag = 6ns, .bursts = {0, 1, 4}}};
    tally.replies.queries.states[QUERY_LATE] = 2;
    tally.replies.queries.states[QUERY_TRUNCATED] = 3;
    tally.replies.strays.fragments = 4;
    const TallySummary summary = summarize(tally, schedule, 19);
    CHECK(summary.queries.sent == 18);
    CHECK(summary.queries.late == 2);
    CHECK(summary.queries.invalid.truncated == 3);
    CHECK(summary.queries.lost == 13);
    CHECK(summary.strays.fragments == 4);
    CHECK(summary.sending.planned == 19);
    CHECK(summary.sending.duration == 19ms);
    CHECK(summary.sending.achieved_rate == Approx(1000));
    CHECK(summary.sending.driver_lag == 7ns);
    CHECK(summary.sending.bursts == std::vector<std::uint64_t>{0, 11, 4});
}

TEST_CASE("at a pace that is not constant, sending takes the schedule's time and what it overran")
{
    Tally tally;
    tally.lanes = {{.share = 0, .handed_over = 2, .last_sent = 100ms, .overrun = 5us},
                   {.share = 1, .handed_over = 3, .last_sent = 4s, .overrun = 7us}};
    SchedulePlan random = schedule;
    random.pace.kind = Pace::Kind::poisson;
    const SendingSummary sending = summarize(tally, random, 5).sending;
    CHECK(sending.duration == 5s + 7us);
    CHECK(sending.achieved_rate == Approx(1).epsilon(0.001));
}

TEST_CASE("in a window sending takes the time of the window, whose open queries fit the RTTs")
{
    Tally tally;
    LaneTally lane{.share = 0, .handed_over = 100};
    lane.window = {.places = 2, .open = 3s, .ran = 2s};
    tally.lanes = {lane, lane};
    tally.lanes.back().share = 1;
    tally.replies.queries.states[QUERY_VALID] = 198;
    for (int i = 0; i < 198; i++)
        tally.replies.queries.rtts.add(std::uint64_t{20'000'000});
    SchedulePlan closed = schedule;
    closed.pace.kind = Pace::Kind::window;
    const TallySummary summary = summarize(tally, closed, 200, 1s);
    CHECK(summary.sending.duration == 2s);
    CHECK(summary.sending.achieved_rate == Approx(100));
    REQUIRE(summary.window);
    CHECK(summary.window->places == 4);
    CHECK(summary.window->answered_rate == Approx(99));
    CHECK(summary.window->mean_open == Approx(3));
    CHECK(summary.window->mean_open_by_rtt == Approx((198 * 0.02 + 2) / 2));
}

TEST_CASE("a tally's summary tells each lane's part")
{
    Tally tally;
    LaneTally lane{.share = 5,
                   .queue = 1,
                   .cpu = 3,
                   .handed_over = 10,
                   .unsent = 1,
                   .kicks = 4,
                   .last_sent = 5ms,
                   .driver_lag = 7ns,
                   .waited = 2ms};
    lane.lateness.add(3);
    tally.lanes = {{.share = 2}, lane};
    const SendingSummary sending = summarize(tally, schedule, 19).sending;
    REQUIRE(sending.lanes.size() == 2);
    const LaneSummary &told = sending.lanes[1];
    CHECK(std::tuple(told.share, told.queue, told.cpu, told.sent, told.kicks) ==
          std::tuple(5, 1, 3, 9, 4));
    CHECK(told.last_sent == 5ms);
    CHECK(told.waited == 2ms);
    CHECK(std::tuple(told.driver_lag, told.lateness.p50, told.lateness.p99, told.lateness.max) ==
          std::tuple(7ns, 3, 3, 3));
    REQUIRE(sending.lateness_histogram.size() == 1);
    CHECK(sending.lateness_histogram[0].count == 1);
}

TEST_CASE("lost queries are counted by the ports of all lanes")
{
    Tally tally;
    tally.lanes = {{.share = 0, .lost_by_port = {0, 7, 0}},
                   {.share = 1, .lost_by_port = {1, 2, 3}}};
    const std::optional<PortLosses> losses = summarize(tally, schedule, planned).port_losses;
    REQUIRE(losses);
    CHECK(losses->ports == 6);
    CHECK(losses->with_losses == 4);
    tally.lanes = {{.share = 0}};
    CHECK_FALSE(summarize(tally, schedule, planned).port_losses);
}

TEST_CASE("a lane's fault is the run's fault")
{
    Tally tally;
    tally.lanes = {{.share = 0}, {.share = 1, .cpu = 3}};
    const auto faults = [&tally] { return summarize(tally, schedule, planned).faults; };
    CHECK_FALSE(faults().link_failed);
    CHECK_FALSE(faults().not_pinned_to);
    CHECK_FALSE(faults().log_failed);
    tally.lanes[1].link_failed = true;
    CHECK(faults().link_failed);
    tally.lanes[1].is_pinned = false;
    CHECK(faults().not_pinned_to == 3);
    tally.lanes[1].not_logged = 2;
    CHECK(faults().not_logged == 2);
    tally.log_failed = true;
    CHECK(faults().log_failed);
}

TEST_CASE("one stamp that cannot be true makes all RTTs by the card's clock doubtful")
{
    std::mt19937 random(14);
    Tally tally = some_tally(random, {0, 1});
    CHECK(summarize(tally, schedule, planned).rtt_hardware.count == 20);
    tally.lanes[1].stamps.contradictory = 1;
    CHECK(summarize(tally, schedule, planned).rtt_hardware.count == 0);
    CHECK(summarize(tally, schedule, planned).stamps.contradictory == 1);
}
