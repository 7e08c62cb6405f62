// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/conclusion.h"

#include "dns/pref64_text.h"
#include "engine/query_tally.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/overloaded.h"
#include "trial/attribution.h"
#include "trial/compliance.h"
#include "trial/verdict.h"
#include "workload/mixed_queries.h"
#include "workload/played_queries.h"
#include "workload/schedule.h"

#include "wire/dns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

ListSummary list_summary(const ListWorkload &list, const TrialPlan &plan)
{
    return {.file = list.file,
            .queries = list.queries->size(),
            .distinct = list.queries->distinct(),
            .memory = list.queries->memory(),
            .shuffle_seed = list.shuffle_seed,
            .expect = expectation_of(plan.workload),
            .letters = letters_of(plan.workload)};
}

ReplaySummary replay_summary(const CaptureWorkload &capture, const TrialPlan &plan,
                             const Measurement &measured)
{
    const CapturedQueries &queries = *capture.queries;
    const Expect expect = expectation_of(plan.workload);
    return {.files = capture.files,
            .server = capture.server ? to_string(*capture.server) : "",
            .port = capture.port,
            .clients_in = measured.clients_in,
            .clients = queries.clients(),
            .keeps_ports = measured.keeps_client_ports,
            .queries = queries.size(),
            .played = queries.played(),
            .speed = capture.speed,
            .skip = capture.skip,
            .memory = queries.memory(),
            .expect = expect,
            .unanswered = expect == Expect::captured ? queries.size() - queries.answered() : 0,
            .letters = letters_of(plan.workload),
            .left_out = queries.left_out()};
}

MixSummary mix_summary(const QueryMix &mix, const TrialPlan &plan)
{
    return {.dnssec_ok = mix.dnssec_ok,
            .nxdomain = mix.nxdomain,
            .types = to_string(mix.types),
            .aaaa_share = mix.aaaa_share,
            .is_signed = mix.is_signed,
            .letters = letters_of(plan.workload)};
}

void describe_names(TrialResult &result, const ZoneNames &names, const pref64 &answer_prefix)
{
    result.zone = names.zone.text;
    result.names = to_string(names.names);
    result.name_order = names.name_order;
    result.answer = names.any_answer ? "any" : to_string(answer_prefix);
}

void describe_workload(TrialResult &result, const TrialPlan &plan, const Measurement &measured)
{
    std::visit(Overloaded{[&](const NamesWorkload &names) {
                              describe_names(result, names, plan.answer_prefix);
                              result.qtype = names.qtype == DNS_TYPE_A ? "A" : "AAAA";
                              if (names.qtype == DNS_TYPE_A && !names.any_answer)
                                  result.answer = "the address in the name";
                          },
                          [&](const MixWorkload &mix) {
                              describe_names(result, mix, plan.answer_prefix);
                              result.mix = mix_summary(mix.queries->mix(), plan);
                          },
                          [&](const ListWorkload &list) { result.list = list_summary(list, plan); },
                          [&](const CaptureWorkload &capture) {
                              result.replay = replay_summary(capture, plan, measured);
                          },
                          [&](const HandshakesWorkload & /*none*/) {
                              result.has_handshakes_alone = true;
                              result.rcodes = result.late_rcodes = {};
                              for (IntervalSummary &interval : result.intervals)
                                  interval.rcodes = interval.late_rcodes = {};
                              if (result.later_part)
                                  result.later_part->rcodes = result.later_part->late_rcodes = {};
                          }},
               plan.workload);
    if (const auto *wish = part_of<MessageWish>(plan.workload))
        result.edns_options = to_string(wish->edns);
}

// Adds the traits that depend on the transport.
ReplyTraits traits_of(ReplyTraits replies, const Measurement &measured)
{
    replies.records_read = true;
    if (replies.count != 0)
        replies.wire_octets = replies.mean_size + measured.wire_overhead;
    return replies;
}

// Returns the mean size of all Testers' packets on the wire. Families and VLANs of Testers may
// differ.
double mean_wire_octets(const TrialResult &whole)
{
    double octets = 0;
    for (const TesterResult &tester : whole.testers)
        if (tester.trial)
            octets += static_cast<double>(tester.trial->replies.count) *
                      tester.trial->replies.wire_octets;
    return whole.replies.count == 0 ? 0 : octets / static_cast<double>(whole.replies.count);
}

void take_intervals(TrialResult &result, const std::vector<QueryTally> &tallies,
                    const TrialPlan &plan)
{
    result.interval = plan.interval.value_or(Nanoseconds{});
    QueryTally later;
    for (std::size_t i = 0; i < tallies.size(); i++) {
        const Nanoseconds since = result.interval * static_cast<std::int64_t>(i);
        result.intervals.push_back(summarize(tallies[i], since));
        if (since >= plan.since)
            later.add(tallies[i]);
    }
    while (!result.intervals.empty() && result.intervals.back().queries.sent == 0)
        result.intervals.pop_back();
    if (plan.since != Nanoseconds{})
        result.later_part = summarize(later, plan.since);
}

// Converts stalls or silences to times of the common schedule, by the deviation of the Tester's
// clock from the first Tester's.
template <class Span>
std::vector<Span> by_common_schedule(std::vector<Span> spans, const TesterPart &part)
{
    const Nanoseconds error = part.clock.error().value_or(Nanoseconds{});
    for (Span &span : spans) {
        span.since -= error;
        span.until += error;
    }
    return spans;
}

// The stalls of all Testers' senders, drivers and servers, and the silent connections.
struct AllStalls {
    std::vector<Stall> stalls;
    std::uint64_t forgotten = 0; // see StallSummary
    std::vector<Silence> silences;
};

AllStalls stalls_of(const std::vector<TesterPart> &parts)
{
    AllStalls all;
    std::vector<Stall> of_servers;
    for (const TesterPart &part : parts) {
        if (!part.measured)
            continue;
        for (const LaneTally &lane : part.measured->tally.lanes) {
            add(all.stalls, by_common_schedule(lane.stalls, part));
            all.forgotten += lane.forgotten_stalls;
            std::ranges::copy(by_common_schedule(lane.connections.silences, part),
                              std::back_inserter(all.silences));
        }
        add(of_servers, by_common_schedule(part.measured->server_stalls, part));
    }
    add(all.stalls, unite_overlapping(std::move(of_servers)));
    return all;
}

// Returns how many queries of the whole schedule are due before `time`.
std::uint64_t due_before(const TrialPlan &plan, Nanoseconds time)
{
    const auto *capture = part_of<CaptureWorkload>(plan.workload);
    if (capture == nullptr)
        return schedule_of(plan).queries_before(std::clamp(time, Nanoseconds{}, plan.duration));
    const auto due = capture->queries->due_ns();
    return static_cast<std::uint64_t>(std::ranges::lower_bound(due, time.count()) - due.begin());
}

// Returns a function that tells how many queries of `figures` are due before a time. A window has
// no schedule; its queries count as evenly spread.
std::function<std::uint64_t(Nanoseconds)> due_of(const TrialPlan &plan, const TallySummary &figures)
{
    if (figures.window) {
        const SendingSummary &sending = figures.sending;
        return [rate = sending.achieved_rate, end = sending.duration](Nanoseconds time) {
            const double until = seconds(std::clamp(time, Nanoseconds{}, end));
            return static_cast<std::uint64_t>(std::llround(rate * until));
        };
    }
    const double share = static_cast<double>(figures.sending.planned) /
                         static_cast<double>(std::max<std::uint64_t>(count_queries(plan), 1));
    return [&plan, share](Nanoseconds time) {
        return static_cast<std::uint64_t>(
            std::llround(share * static_cast<double>(due_before(plan, time))));
    };
}

// Returns when the server stopped answering: it had answered before, and everything sent from then
// on was lost, for longer than a reply may take. `due_before` counts the queries that are due
// before a time, and may miss each Tester's last one. It knows only the mean of a Poisson pace or a
// window.
std::optional<Nanoseconds> silent_since(const TrialPlan &plan, const TallySummary &figures,
                                        const std::vector<IntervalSummary> &intervals,
                                        const std::function<std::uint64_t(Nanoseconds)> &due_before)
{
    constexpr std::uint64_t telling = 20; // fewer queries may be lost together by chance
    constexpr std::uint64_t rounding = 2;
    const QueryCounts &queries = figures.queries;
    if (queries.sent != figures.sending.planned || queries.lost == queries.sent ||
        pace_of(plan).kind == Pace::Kind::poisson || figures.window)
        return std::nullopt;
    std::optional<Nanoseconds> since;
    std::uint64_t lost = 0;
    const std::vector<MissBin> &bins = figures.misses.bins;
    for (auto bin = bins.rbegin(); bin != bins.rend(); ++bin) {
        lost += bin->lost;
        const Nanoseconds begin = figures.misses.since(*bin);
        const std::uint64_t before = std::min(due_before(begin), queries.sent);
        if (bin->late != 0 || lost + rounding < queries.sent - before)
            break;
        if (lost >= telling && plan.duration - begin > plan.timeout)
            since = begin;
    }
    for (const IntervalSummary &interval : intervals)
        if (interval.since >= since && interval.queries.lost != interval.queries.sent)
            return std::nullopt;
    return since;
}

// Returns what the stalls cost among the queries of `figures`.
StallSummary stall_summary(const TrialPlan &plan, const AllStalls &all, const TallySummary &figures,
                           Nanoseconds limit)
{
    StallSummary summary =
        attribute(all.stalls, figures.misses,
                  {.limit = limit, .duration = plan.duration, .timeout = plan.timeout},
                  due_of(plan, figures), all.silences);
    summary.forgotten = all.forgotten;
    // Delayed queries of other Testers may cost queries of this one.
    if (!figures.window && figures.sending.planned != 0)
        summary.delayed = static_cast<std::uint64_t>(std::ceil(
            static_cast<double>(summary.delayed) * static_cast<double>(count_queries(plan)) /
            static_cast<double>(figures.sending.planned)));
    return summary;
}

std::uint64_t count_misses(const MissTally &misses)
{
    std::uint64_t count = 0;
    for (const MissBin &bin : misses.bins)
        count += bin.lost + bin.late;
    return count;
}

// A part's rate is its share of the rate, rounded.
TrialTerms terms_of(const TrialPlan &plan, Rate rate)
{
    return {.rate = rate,
            .pace = pace_of(plan),
            .catch_up = plan.catch_up,
            .duration = plan.duration,
            .timeout = plan.timeout,
            .accept_percent = plan.accept_percent};
}

void describe(TrialResult &result, const TrialPlan &plan, const Measurement &measured)
{
    result.port = plan.server_port;
    result.transport = plan.transport;
    describe_workload(result, plan, measured);
    result.dns64 = dns64_conditions(plan);
    result.caveats.selftest = plan.selftest;
    result.caveats.deviations = trial_deviations(plan);
    result.judged = judged_by(plan);
}

// Returns the sum of both faults.
RunFaults with_others(RunFaults faults, const RunFaults &others)
{
    faults.interrupted = faults.interrupted || others.interrupted;
    faults.link_failed = faults.link_failed || others.link_failed;
    faults.next_hop_moved = faults.next_hop_moved || others.next_hop_moved;
    faults.not_counted = faults.not_counted || others.not_counted;
    return faults;
}

TransportSummary transport_summary(const TransportTally &one, const SchedulePlan &schedule)
{
    TallySummary figures = summarize(one.tally, schedule, one.planned);
    return {.transport = one.transport,
            .planned = one.planned,
            .queries = figures.queries,
            .rcodes = figures.rcodes,
            .rtt = std::move(figures.rtt),
            .lateness = figures.sending.lateness};
}

// Returns where the server left the line.
RampSummary ramp_summary(const TrialPlan &plan, const std::vector<IntervalSummary> &intervals)
{
    const SchedulePlan schedule = schedule_of(plan);
    std::vector<RampInterval> parts;
    for (const IntervalSummary &one : intervals) {
        const Nanoseconds end = std::min(one.since + *plan.interval, plan.duration);
        if (one.since >= plan.duration)
            break;
        parts.push_back({.from = static_cast<double>(schedule.ramp_at(one.since)),
                         .to = static_cast<double>(schedule.ramp_at(end)),
                         .length = seconds(end - one.since),
                         .sent = one.queries.sent,
                         .valid = one.queries.valid});
    }
    return summarize(parts, plan.accept_percent);
}

// Returns the summary of all senders' connections; nothing over UDP.
std::optional<ConnectionSummary> connection_summary(const TrialPlan &plan,
                                                    const ConnectionTally &tally)
{
    if (plan.transport == Transport::udp)
        return std::nullopt;
    ConnectionSummary result{
        .at_once = shared_connections(plan),
        .queries_each = plan.queries_per_connection,
        .pipeline = plan.pipeline,
        .acks = plan.acks,
        .idle_times = has_client_connections(plan) ? to_string(plan.idle_times) : std::string(),
        .counts = tally.counts,
        .handshakes = tally.handshakes.summary(),
        .waited = tally.waited.summary(),
        .backlog = tally.backlog,
        .keepalives =
            asks_keepalive(plan) ? std::optional(tally.keepalives.summary()) : std::nullopt};
    if (plan.transport == Transport::doq)
        result.quic = tally.quic;
    if (is_over_tls(plan))
        result.tls = TlsSummary{.resumption = plan.resumption,
                                .name = plan.tls_name,
                                .is_checked = !plan.tls_ca.empty(),
                                .suites = tally.tls_suites,
                                .full = tally.tls_full.summary(),
                                .resumed = tally.tls_resumed.summary(),
                                .failure = tally.tls_failure};
    if (plan.transport == Transport::doh)
        result.http = HttpSummary{.method = plan.http_method,
                                  .url = "https://" + http_authority(plan) + plan.doh_path,
                                  .statuses = tally.http_statuses,
                                  .failure = tally.http_failure};
    return result;
}

// Returns the evidence of `measured`, which was to send `planned` queries at `rate`. `stalls` are
// all Testers' stalls.
Evidence evidence_of(const TrialPlan &plan, const Measurement &measured, std::uint64_t planned,
                     Rate rate, const AllStalls &stalls)
{
    TallySummary figures = summarize(measured.tally, schedule_of(plan), planned, plan.timeout);
    Evidence result;
    static_cast<TrialTerms &>(result) = terms_of(plan, rate);
    result.server = measured.server;
    result.since = measured.since;
    result.until = measured.until;
    result.path = measured.path;
    static_cast<TrialFigures &>(result) = figures;
    result.stalls = stall_summary(plan, stalls, figures, measured.stall_limit);
    result.replies = traits_of(std::move(figures.replies), measured);
    take_intervals(result, figures.intervals, plan);
    result.silent_since = silent_since(plan, figures, result.intervals, due_of(plan, figures));
    if (pace_of(plan).kind == Pace::Kind::ramp && planned == count_queries(plan))
        result.ramp = ramp_summary(plan, result.intervals);
    if (result.window)
        result.rate = Rate{
            static_cast<std::uint64_t>(std::max(std::llround(result.sending.achieved_rate), 1LL))};
    result.connections = connection_summary(plan, figures.connections);
    for (const TransportTally &one : measured.by_transport)
        result.by_transport.push_back(transport_summary(one, schedule_of(plan)));
    result.own_losses = measured.losses;
    result.cpus = measured.cpus;
    result.server_drops = measured.server_drops;
    result.probe = measured.probe;
    if (result.probe)
        result.places = places_of_lost(*result.probe, result.queries.sent,
                                       result.queries.sent - result.queries.lost);
    result.placement = measured.placement;
    result.circumstances = measured.circumstances;
    describe(result, plan, measured);
    result.caveats.doubts = measured.doubts;
    result.tolerances = plan.tolerances;
    result.faults = with_others(figures.faults, measured.faults);
    result.misses = count_misses(figures.misses);
    return result;
}

// Adds what became of the lost queries to the reason, and doubts about the probe's figures.
void take_probe(TrialResult &result)
{
    const QueryCounts &queries = result.queries;
    if (!result.probe)
        return;
    ProbeResult &probe = *result.probe;
    const std::uint64_t replied = queries.sent - queries.lost;
    probe.late = places_of_late(probe, queries.sent, replied, queries.late);
    const auto told = [](const Fate &fate) { return fmt::format("{} {}", fate.count, fate.text); };
    const std::vector<Fate> fates = fates_of_lost(probe, queries.sent, replied);
    const std::vector<Fate> of_sample = fates_in_sample(probe);
    if (queries.lost != 0 && !fates.empty())
        result.why +=
            fmt::format("; the probe says of the {} lost: {}", queries.lost, joined(fates, told));
    else if (queries.lost != 0 && !of_sample.empty())
        result.why +=
            fmt::format("; the probe says of the {} that it followed: {}",
                        counted(probe.followed, "query", "queries"), joined(of_sample, told));
    if (queries.late != 0)
        result.why += fmt::format("; the probe says where the {} late were for longest: {}",
                                  queries.late, joined(texts_of(*probe.late), told));
    if (const std::uint64_t unknown = probe.forgotten + probe.repeated; unknown != 0)
        result.caveats.doubts.push_back(fmt::format("the probe does not know what became of {}",
                                                    counted(unknown, "query", "queries")));
    if (!tells(probe, Telling::drops) || !tells(probe, Telling::af_xdp))
        result.caveats.doubts.push_back(
            fmt::format("the probe does not know the fates of all queries, because the kernel "
                        "lacks {}",
                        lacks_text(probe)));
    if (probe.taken != 0)
        result.caveats.doubts.push_back(
            fmt::format("the server took {} by AF_XDP, before the network stack: the probe has "
                        "neither their stages nor their fates",
                        counted(probe.taken, "packet")));
    else if (probe.xdp_sent != 0 && sees_all(probe, queries.sent, replied))
        result.caveats.doubts.push_back(fmt::format(
            "an XDP program sent back {} before the network stack had them: the probe has "
            "no stages of these",
            counted(probe.xdp_sent, "packet")));
    else if (probe.followed == probe.arrived && !sees_all(probe, queries.sent, replied))
        result.caveats.doubts.push_back(fmt::format(
            "the probe saw the replies to {} of {} leave: an XDP program answers before "
            "the network stack has the packet, or others asked, too",
            probe.left, counted(replied, "answered query", "answered queries")));
}

// Returns the judgement on a Tester that the others told to stop. The user did not interrupt it, so
// it was too slow for its rate.
Judgement judge_stopped(const TrialResult &result, std::uint64_t planned)
{
    const Nanoseconds took = result.sending.duration;
    return {.why = fmt::format("was not done long after the others, which told it to stop: it had "
                               "sent {} of {} queries in {:.3f} s",
                               result.queries.sent, planned, seconds(took)),
            .tester_was_limit = took > result.duration};
}

// Returns the result of one Tester's part, which was to send `planned` queries at `rate`.
TrialResult result_of(const TrialPlan &plan, const TesterPart &part, std::uint64_t planned,
                      Rate rate, const AllStalls &stalls)
{
    Evidence result = evidence_of(plan, part.measured.value(), planned, rate, stalls);
    result.certificate = plan.certificate;
    take(result, part.was_told_to_stop && result.faults.interrupted ? judge_stopped(result, planned)
                                                                    : judge(result));
    take_probe(result);
    result.hints = hints_of(result);
    return std::move(result);
}

// Returns how many of the schedule's queries each share has.
std::vector<std::uint64_t> share_sizes(const TrialPlan &plan, std::uint64_t queries,
                                       std::uint32_t shares)
{
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload))
        return queries_by_share(*capture->queries, shares);
    std::vector<std::uint64_t> sizes;
    for (std::uint32_t number = 0; number < shares; number++)
        sizes.push_back(Share{.number = number, .of = shares}.count(queries));
    return sizes;
}

// Returns how many queries a sender was to send: its share of the schedule's queries. In a window
// the answers decide, so it is the number sent.
std::uint64_t planned_of(const TrialPlan &plan, const LaneTally &lane,
                         const std::vector<std::uint64_t> &sizes)
{
    return pace_of(plan).kind == Pace::Kind::window ? lane.handed_over : sizes.at(lane.share);
}

// Returns how many queries the Tester's senders were to send.
std::uint64_t planned_of(const TrialPlan &plan, const Measurement &measured,
                         const std::vector<std::uint64_t> &sizes)
{
    std::uint64_t planned = 0;
    for (const LaneTally &lane : measured.tally.lanes)
        planned += planned_of(plan, lane, sizes);
    return planned;
}

Rate rate_of(std::uint64_t planned, std::uint64_t queries, Rate all)
{
    const double share =
        queries == 0 ? 0 : static_cast<double>(planned) / static_cast<double>(queries);
    return {std::max<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(share * static_cast<double>(all.per_second))), 1)};
}

// Losses of interfaces are listed, and decide nothing.
void add(OwnLosses &sum, const OwnLosses &part)
{
    dnsgauge::add(sum.kinds, part.kinds);
    for (const auto &[name, count] : part.interface)
        sum.interface[name] += count;
}

// Adds the figures of `part` to `sum`, without faults and CPUs, which are judged in each part.
void add(Measurement &sum, const Measurement &part)
{
    sum.tally = merge(sum.tally, part.tally);
    add(sum.losses, part.losses);
    sum.keeps_client_ports = sum.keeps_client_ports && part.keeps_client_ports;
    sum.until = std::max(sum.until, sum.since + (part.until - part.since));
}

// Returns the different texts of this member of the parts.
std::string texts_of(const std::vector<TesterPart> &parts, std::string Measurement::*member)
{
    std::vector<std::string> texts;
    for (const TesterPart &part : parts)
        if (part.measured)
            texts.push_back(*part.measured.*member);
    return join(each_once(texts), ", ");
}

// Returns the sum of the parts, with the circumstances of the first one.
Measurement sum_of(const std::vector<TesterPart> &parts)
{
    std::optional<Measurement> sum;
    for (const TesterPart &part : parts) {
        if (!part.measured)
            continue;
        if (sum)
            add(*sum, *part.measured);
        else
            sum = part.measured;
    }
    sum->server = texts_of(parts, &Measurement::server);
    sum->clients_in = texts_of(parts, &Measurement::clients_in);
    sum->losses.interface_sending = 0;
    sum->losses.interface_receiving = 0;
    sum->losses.interface_doubtful = 0;
    sum->faults = {};
    sum->doubts.clear();
    sum->cpus.clear();
    sum->server_drops.clear();
    sum->probe.reset();
    sum->placement.reset();
    return *std::move(sum);
}

// Returns how many queries were to be sent.
std::uint64_t planned_queries(const TrialPlan &plan, const std::vector<TesterPart> &parts)
{
    if (pace_of(plan).kind != Pace::Kind::window)
        return count_queries(plan);
    std::uint64_t planned = 0;
    for (const TesterPart &part : parts)
        if (part.measured)
            planned += planned_of(plan, *part.measured, {});
    return planned;
}

} // namespace

TrialResult conclude(const TrialPlan &plan, const std::vector<TesterPart> &parts,
                     std::uint32_t shares)
{
    const std::uint64_t queries = planned_queries(plan, parts);
    const AllStalls stalls = stalls_of(parts);
    if (parts.size() == 1)
        return result_of(plan, parts.front(), queries, plan.rate, stalls);
    Evidence whole = evidence_of(plan, sum_of(parts), queries, plan.rate, stalls);
    const std::vector<std::uint64_t> sizes = share_sizes(plan, queries, shares);
    for (const TesterPart &part : parts) {
        TesterResult tester{.rank = part.rank, .host = part.host, .clock = part.clock, .trial = {}};
        if (part.measured) {
            const std::uint64_t planned = planned_of(plan, *part.measured, sizes);
            tester.trial =
                result_of(plan, part, planned, rate_of(planned, queries, plan.rate), stalls);
        }
        whole.testers.push_back(std::move(tester));
    }
    whole.replies.wire_octets = mean_wire_octets(whole);
    take(whole, judge_together(whole, parts));
    whole.hints = hints_of(whole);
    return std::move(whole);
}

} // namespace dnsgauge
