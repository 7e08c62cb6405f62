// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/tally.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace dnsgauge
{

namespace
{

void add(StampCounts &sum, const StampCounts &one)
{
    sum.transmitted += one.transmitted;
    sum.received += one.received;
    sum.contradictory += one.contradictory;
}

void add(LaneTally &sum, const LaneTally &one)
{
    constexpr auto keep = [](auto mine, auto /*other*/) { return mine; };
#define ADD(type, key, join, ...) sum.key = join(sum.key, one.key);
    LANE_FIGURES(ADD)
#undef ADD
    sum.lateness.add(one.lateness);
    dnsgauge::add(sum.bursts, one.bursts);
    add(sum.stamps, one.stamps);
    sum.hardware_rtts.add(one.hardware_rtts);
    add(sum.intervals, one.intervals);
    add(sum.stalls, one.stalls);
    sum.forgotten_stalls += one.forgotten_stalls;
    sum.misses.add(one.misses);
    dnsgauge::add(sum.lost_by_port, one.lost_by_port);
    sum.connections.add(one.connections);
    sum.window.places += one.window.places;
    sum.window.open += one.window.open;
    sum.window.ran = std::max(sum.window.ran, one.window.ran);
}

void add(std::vector<LaneTally> &lanes, const LaneTally &one)
{
    const auto at = std::lower_bound(
        lanes.begin(), lanes.end(), one.share,
        [](const LaneTally &lane, std::uint32_t share) { return lane.share < share; });
    if (at != lanes.end() && at->share == one.share)
        add(*at, one);
    else
        lanes.insert(at, one);
}

void tell(auto &summary, const LaneTally &lane)
{
#define TELL(type, key, ...)                                                                       \
    if constexpr (requires { summary.key; })                                                       \
        summary.key = lane.key;
    LANE_FIGURES(TELL)
#undef TELL
}

// Returns what became of the queries that the lanes sent.
QueryCounts sent_queries(const LaneTally &all, const QueryTally &answered)
{
    QueryCounts counts = query_counts(answered);
    // More answers than queries are a contradiction, which the verdict reports.
    const std::uint64_t sent = all.handed_over - all.unsent;
    counts.lost = sent > counts.sent ? sent - counts.sent : 0;
    counts.sent = sent;
    return counts;
}

// Returns how long sending took: at a constant rate until the gap after the last query is over; at
// other paces, whose gap is unknown, the schedule's duration plus the lateness of the last query. A
// window has its own time.
Nanoseconds sending_time(const LaneTally &all, const SchedulePlan &schedule)
{
    if (schedule.pace.kind == Pace::Kind::window)
        return std::max(all.window.ran, Nanoseconds(1));
    return schedule.pace.kind == Pace::Kind::constant ? all.last_sent + due_at(schedule.rate, 1)
                                                      : schedule.duration + all.overrun;
}

Lateness lateness_of(const Histogram &lateness)
{
    return {
        .p50 = lateness.percentile(500), .p99 = lateness.percentile(990), .max = lateness.max()};
}

SendingSummary sending_summary(const LaneTally &all, const SchedulePlan &schedule,
                               std::uint64_t planned)
{
    SendingSummary summary;
    tell(summary, all);
    summary.planned = planned;
    summary.duration = sending_time(all, schedule);
    summary.achieved_rate = static_cast<double>(all.handed_over) / seconds(summary.duration);
    summary.lateness = lateness_of(all.lateness);
    summary.lateness_histogram = all.lateness.filled();
    summary.bursts = all.bursts;
    return summary;
}

// A wrong answer frees its place before the timeout, but its RTT is unknown.
WindowSummary window_summary(const TallySummary &figures, const WindowTally &window,
                             Nanoseconds timeout)
{
    const double time = seconds(figures.sending.duration);
    const auto valid = static_cast<double>(figures.queries.valid);
    const double unanswered = static_cast<double>(figures.queries.sent) - valid;
    return {.places = window.places,
            .answered_rate = valid / time,
            .mean_open = seconds(window.open) / time,
            .mean_open_by_rtt =
                (valid * figures.rtt.mean / 1e9 + unanswered * seconds(timeout)) / time};
}

LaneSummary summary_of(const LaneTally &lane)
{
    LaneSummary summary{.share = lane.share,
                        .sent = lane.handed_over - lane.unsent,
                        .lateness = lateness_of(lane.lateness)};
    tell(summary, lane);
    return summary;
}

// Each lane has ports of its own.
std::optional<PortLosses> port_losses(const std::vector<LaneTally> &lanes)
{
    PortLosses sum;
    for (const LaneTally &lane : lanes) {
        sum.ports += lane.lost_by_port.size();
        sum.with_losses += static_cast<std::uint64_t>(
            std::ranges::count_if(lane.lost_by_port, [](std::uint64_t lost) { return lost != 0; }));
    }
    return sum.ports == 0 ? std::nullopt : std::optional(sum);
}

RunFaults faults_of(const Tally &tally, const LaneTally &all)
{
    RunFaults faults;
    tell(faults, all);
    for (const LaneTally &lane : tally.lanes)
        if (!lane.is_pinned)
            faults.not_pinned_to = lane.cpu;
    faults.log_failed = tally.log_failed;
    return faults;
}

} // namespace

void add(std::vector<OwnLoss> &sums, const std::vector<OwnLoss> &more)
{
    for (const OwnLoss &loss : more) {
        const auto same = std::ranges::find(sums, loss.name, &OwnLoss::name);
        if (same == sums.end())
            sums.push_back(loss);
        else
            same->count += loss.count;
    }
}

Tally merge(const Tally &one, const Tally &other)
{
    Tally sum = one;
    sum.replies.add(other.replies);
    for (const LaneTally &lane : other.lanes)
        add(sum.lanes, lane);
    sum.log_failed = sum.log_failed || other.log_failed;
    return sum;
}

TallySummary summarize(const Tally &tally, const SchedulePlan &schedule, std::uint64_t planned,
                       Nanoseconds timeout)
{
    LaneTally all;
    for (const LaneTally &lane : tally.lanes)
        add(all, lane);
    const ReplyTally &replies = tally.replies;
    TallySummary summary;
    summary.queries = sent_queries(all, replies.queries);
    summary.strays = replies.strays;
    summary.rcodes = replies.queries.rcodes;
    summary.late_rcodes = replies.queries.late_rcodes;
    summary.replies = summarize(replies.traits);
    summary.rtt = replies.queries.rtts.summary();
    // One impossible stamp makes all other stamps doubtful.
    if (all.stamps.contradictory == 0)
        summary.rtt_hardware = all.hardware_rtts.summary();
    summary.stamps = all.stamps;
    summary.sending = sending_summary(all, schedule, planned);
    for (const LaneTally &lane : tally.lanes)
        summary.sending.lanes.push_back(summary_of(lane));
    if (schedule.pace.kind == Pace::Kind::window)
        summary.window = window_summary(summary, all.window, timeout);
    summary.intervals = std::move(all.intervals);
    summary.misses = std::move(all.misses);
    summary.port_losses = port_losses(tally.lanes);
    summary.connections = std::move(all.connections);
    summary.faults = faults_of(tally, all);
    return summary;
}

void ConnectionTally::add(const TlsSuite &suite)
{
    const auto same = [&suite](const TlsSuite &mine) {
        return mine.version == suite.version && mine.cipher == suite.cipher &&
               mine.alpn == suite.alpn;
    };
    if (const auto found = std::ranges::find_if(tls_suites, same); found != tls_suites.end())
        found->connections += suite.connections;
    else if (tls_suites.size() == suites_most)
        tls_suites.back().connections += suite.connections;
    else
        tls_suites.push_back(suite);
}

void ConnectionTally::add_handshake(const TlsSuite &suite, bool is_resumed, std::int64_t took_ns)
{
    (is_resumed ? counts.tls_resumed : counts.tls_full)++;
    (is_resumed ? tls_resumed : tls_full).add(static_cast<std::uint64_t>(took_ns));
    add(suite);
}

void ConnectionTally::add(const ConnectionTally &other)
{
    for (const ConnectionCount &each : connection_counts)
        counts.*each.count += other.counts.*each.count;
    handshakes.add(other.handshakes);
    waited.add(other.waited);
    tls_full.add(other.tls_full);
    tls_resumed.add(other.tls_resumed);
    keepalives.add(other.keepalives);
    for (const TlsSuite &suite : other.tls_suites)
        add(suite);
    if (tls_failure.empty())
        tls_failure = other.tls_failure;
    for (const auto &[status, count] : other.http_statuses)
        http_statuses[status] += count;
    if (http_failure.empty())
        http_failure = other.http_failure;
    for (const QuicCount &each : quic_counts)
        quic.*each.count += other.quic.*each.count;
    for (std::size_t i = 0; i < backlog.size(); i++)
        backlog.at(i) += other.backlog.at(i);
    silences.insert(silences.end(), other.silences.begin(), other.silences.end());
}

} // namespace dnsgauge
