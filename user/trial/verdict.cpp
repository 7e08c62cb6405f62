// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/verdict.h"

#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string milliseconds(std::uint64_t nanoseconds)
{
    return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string milliseconds(Nanoseconds time)
{
    return milliseconds(static_cast<std::uint64_t>(time.count()));
}

// What ends a trial early, or leaves it without some of its figures. In texts {0} is the interface,
// and {1} the Ethernet address that queries went to.
constexpr std::array faults{
    std::pair{&RunFaults::interrupted, "interrupted before all queries were sent and answered"},
    std::pair{&RunFaults::link_failed, "the link of {0} went down during the trial"},
    std::pair{&RunFaults::next_hop_moved,
              "queries went to the Ethernet address {1}, but {0} has another one for the next hop "
              "by now: has the hop moved, or is --server-mac wrong?"},
    std::pair{&RunFaults::not_counted,
              "the counters of {0} could not be read after the trial, so its drops are unknown"},
    std::pair{&RunFaults::log_failed,
              "the --per-query or the --key-log file could not be written in full: is the disk "
              "full?"}};

std::optional<std::string> incomplete(const Evidence &evidence)
{
    const RunFaults &found = evidence.faults;
    for (const auto &[fault, text] : faults)
        if (found.*fault)
            return fmt::format(fmt::runtime(text), evidence.circumstances.interface,
                               evidence.circumstances.next_hop_mac);
    if (found.not_pinned_to)
        return fmt::format("a sender could not be pinned to CPU {}: may this process still use it "
                           "(taskset, cpuset)?",
                           *found.not_pinned_to);
    if (found.not_logged != 0)
        return fmt::format("the --per-query file lacks {}: it was written too slowly for this rate",
                           counted(found.not_logged, "query", "queries"));
    return std::nullopt;
}

// Returns whether `valid` of the queries are enough. The share is counted in whole numbers: a
// double that is not quite the share would ask for one query too many.
bool is_accepted(const QueryCounts &queries, std::uint64_t valid, const TrialTerms &terms)
{
    __extension__ using Wide = unsigned __int128;
    const auto share = static_cast<std::uint64_t>(
        std::llround(terms.accept_percent * static_cast<double>(accept_steps_per_percent)));
    return Wide{valid} * 100 * accept_steps_per_percent >= Wide{share} * queries.sent;
}

// Returns whether what was lost outside of the server alone made the trial fail: with these packets
// answered, it would pass. They are what the interface dropped. A probe tells better how many
// queries were lost on the way, and how many of the dropped packets can have been replies.
bool may_be_drops(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    const OwnLosses &losses = evidence.own_losses;
    const std::uint64_t replies = losses.interface_receiving + losses.interface_doubtful;
    const std::optional<LossPlaces> &places = evidence.places;
    const std::uint64_t dropped =
        places ? places->before_server + std::min(replies, places->behind_server)
               : losses.interface_sending + replies;
    return is_accepted(queries, queries.valid + std::min(dropped, queries.lost), evidence);
}

std::optional<std::string> own_loss(const Evidence &evidence)
{
    const OwnLosses &losses = evidence.own_losses;
    for (const OwnLoss &loss : losses.kinds)
        if (loss.count != 0)
            return fmt::format(fmt::runtime(loss.why[loss.count == 1 ? 0 : 1]), loss.count);
    // If every query was answered, the dropped packets were no queries. If more failed than were
    // dropped, the server failed.
    if (losses.interface_sending != 0 && evidence.queries.valid != evidence.queries.sent &&
        may_be_drops(evidence))
        return fmt::format("{} dropped {} on {} way out", evidence.circumstances.interface,
                           counted(losses.interface_sending, "packet"),
                           losses.interface_sending == 1 ? "its" : "their");
    return std::nullopt;
}

// A machine that others use is late now and then, whatever the rate.
std::string shared_machine_advice(const Tolerances &tolerances)
{
    return tolerances.shared_machine
               ? ""
               : "; where others use this machine, --shared-machine allows more and says what "
                 "that did";
}

bool reached(double share, const Evidence &evidence)
{
    return evidence.sending.achieved_rate >= share * static_cast<double>(evidence.rate.per_second);
}

// Returns whether the Tester was too slow for the rate, or late at the end.
std::string overrun_advice(const Evidence &evidence)
{
    constexpr double rate_kept = 0.99;
    if (!reached(rate_kept, evidence))
        return fmt::format("the Tester reached {:.0f} of {} queries per second",
                           evidence.sending.achieved_rate, evidence.rate.per_second);
    return "the Tester kept the rate, and something held it up at the end" +
           shared_machine_advice(evidence.tolerances);
}

std::optional<std::string> bad_pacing(const Evidence &evidence)
{
    // A window has no times of its own that the Tester could miss.
    if (evidence.window)
        return std::nullopt;
    const SendingSummary &sending = evidence.sending;
    const Nanoseconds allowed = overrun_allowed(evidence.duration, evidence.tolerances);
    const auto latest =
        static_cast<std::uint64_t>(lateness_allowed(evidence.timeout, evidence.tolerances).count());
    if (sending.duration > evidence.duration + allowed)
        return fmt::format(
            "sending took {} longer than the trial's duration (--max-overrun allows {}): {}",
            milliseconds(sending.duration - evidence.duration), milliseconds(allowed),
            overrun_advice(evidence));
    if (sending.lateness.max > latest)
        return fmt::format("a query was sent {} late (--max-lateness allows {}): {}{}",
                           milliseconds(sending.lateness.max), milliseconds(latest),
                           evidence.pace.kind == Pace::Kind::constant ? "the rate was not constant"
                                                                      : "the pace was another one",
                           shared_machine_advice(evidence.tolerances));
    // A query that leaves after its timeout is not answered in time, whatever lateness is allowed.
    const auto timeout = static_cast<std::uint64_t>(evidence.timeout.count());
    if (sending.driver_lag > std::min(latest, timeout))
        return fmt::format("the driver of {} still had a query {} after the query was due "
                           "({} allows {}): its queue stalled",
                           evidence.circumstances.interface, milliseconds(sending.driver_lag),
                           latest <= timeout ? "--max-lateness" : "--timeout",
                           milliseconds(std::min(latest, timeout)));
    if (sending.planned > evidence.queries.sent)
        return fmt::format("{} of {} were sent", evidence.queries.sent,
                           counted(sending.planned, "query", "queries"));
    return std::nullopt;
}

// Returns whether the rate itself is why the Tester did not offer it. A trial at a lower rate may
// then be valid. These are the reasons, where nobody else had the Tester's CPUs:
// - most queries were late, so the Tester's CPUs were full;
// - the Tester fell behind by a tenth of the time and had not caught up at the end, as it does
//   where new connections become dearer the more there have been;
// - the Tester had no socket, port, buffer or time left for a connection or a query;
// - the Tester's interface dropped queries.
// Stalls are no such reason: they come and go at any rate.
bool is_beyond_tester(const Evidence &evidence, const std::vector<std::string> &disturbed)
{
    constexpr double rate_missed = 0.9;
    if (!disturbed.empty())
        return false;
    const OwnLosses &losses = evidence.own_losses;
    return std::ranges::any_of(
               losses.kinds,
               [](const OwnLoss &loss) { return loss.count != 0 && !loss.is_of_stall; }) ||
           losses.interface_sending != 0 || (!evidence.window && !reached(rate_missed, evidence)) ||
           evidence.sending.lateness.p50 > static_cast<std::uint64_t>(lateness_of_overload.count());
}

bool are_same(const QueryCounts &one, const QueryCounts &other)
{
    return one.sent == other.sent && one.valid == other.valid && one.late == other.late &&
           one.lost == other.lost &&
           std::ranges::all_of(invalid_classes, [&](const InvalidClass &each) {
               return one.invalid.*each.count == other.invalid.*each.count;
           });
}

QueryCounts sum_of(const std::vector<IntervalSummary> &parts)
{
    QueryCounts sum;
    for (const IntervalSummary &interval : parts) {
        const QueryCounts &part = interval.queries;
        sum.sent += part.sent;
        sum.valid += part.valid;
        sum.late += part.late;
        sum.lost += part.lost;
        for (const InvalidClass &each : invalid_classes)
            sum.invalid.*each.count += part.invalid.*each.count;
    }
    return sum;
}

std::optional<std::string> contradiction(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    if (queries.valid + queries.late + queries.invalid.total() + queries.lost != queries.sent)
        return "the counts contradict each other: please report this";
    if (!evidence.intervals.empty() && !are_same(sum_of(evidence.intervals), queries))
        return "the counts of the intervals do not add up to the trial's: please report this";
    if (evidence.misses && *evidence.misses != queries.lost + queries.late)
        return "the times of lost and late queries do not add up to their number: please report "
               "this";
    return std::nullopt;
}

// Returns " (cc1 (14 processes) 0.900 s, sh (process 12) 0.430 s)": the guests on one side, by
// name, and how long they ran or waited. The busiest come first, and few are named: a build has
// hundreds.
std::string names_of(const CpuUse &use, CpuGuest::Side side, bool waited)
{
    struct Group {
        std::string name{};
        std::string who{};
        std::size_t processes = 0;
        Nanoseconds time{};
    };
    constexpr std::size_t named = 4;
    std::vector<Group> groups;
    for (const CpuGuest &guest : use.guests) {
        if (guest.side != side)
            continue;
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&guest](const Group &each) { return each.name == guest.name; });
        if (group == groups.end())
            group = groups.insert(group, {guest.name, fmt::format("process {}", guest.process)});
        group->processes++;
        group->time += waited ? guest.waited : guest.ran;
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group &one, const Group &other) { return one.time > other.time; });
    std::string text;
    for (std::size_t i = 0; i < groups.size() && i < named; i++) {
        const Group &group = groups[i];
        text += fmt::format("{}{} ({}) {:.3f} s", i == 0 ? "" : ", ", group.name,
                            group.processes == 1 ? group.who
                                                 : fmt::format("{} processes", group.processes),
                            seconds(group.time));
    }
    if (groups.size() > named)
        text += ", and others";
    return text.empty() ? text : " (" + text + ")";
}

// Returns who took the Tester's CPUs, or the server's, for longer than the criteria allow.
std::vector<std::string> disturbances(const std::vector<CpuUse> &cpus, const Tolerances &tolerances,
                                      bool is_testers)
{
    std::vector<std::string> found;
    if (others_allowed(tolerances) == 100)
        return found;
    for (const CpuUse &use : cpus) {
        if ((use.sends || use.receives) != is_testers)
            continue;
        const Nanoseconds most =
            std::max<Nanoseconds>(use.elapsed * others_allowed(tolerances) / 100, cpu_time_least);
        const std::string what = use.sends      ? "on which queries are sent"
                                 : use.receives ? "on which replies are received"
                                                : "on which the server runs";
        const auto add = [&](Nanoseconds time, const std::string &who) {
            if (time > most)
                found.push_back(fmt::format("{} {:.3f} s of {:.3f} s of CPU {}, {}", who,
                                            seconds(time), seconds(use.elapsed), use.cpu, what));
        };
        if (use.sends) {
            if (use.sender_waited > most)
                found.push_back(
                    fmt::format("the sender waited {:.3f} s of {:.3f} s for CPU {}, {}, "
                                "which others had{}",
                                seconds(use.sender_waited), seconds(use.elapsed), use.cpu, what,
                                names_of(use, CpuGuest::Side::other, false)));
            if (const Nanoseconds wanted = use.server_ran + use.server_waited; wanted > most)
                found.push_back(fmt::format(
                    "the server{} wanted {:.3f} s of CPU {}, {}, and waited for {:.3f} s of that: "
                    "give each a CPU of its own (--cpus; dnsgauge-lab exec --cpu N, or taskset "
                    "where "
                    "the server pins its threads itself)",
                    names_of(use, CpuGuest::Side::server, true), seconds(wanted), use.cpu, what,
                    seconds(use.server_waited)));
        } else {
            add(use.others + use.unseen,
                "others" + names_of(use, CpuGuest::Side::other, false) + " had");
        }
        add(use.steal, "the hypervisor took");
    }
    return found;
}

// Returns "3 valid replies", which have RTTs below `floor` nanoseconds; empty if there are none.
std::string sooner_than(const RttSummary &rtt, std::uint64_t floor)
{
    if (rtt.count == 0 || rtt.min >= floor)
        return {};
    std::uint64_t count = 0;
    for (const CountedRange &range : rtt.histogram)
        if (range.from < floor)
            count += range.count;
    return counted(std::max<std::uint64_t>(count, 1), "valid reply", "valid replies");
}

// Returns which RTTs are shorter than the link, or the calibration of the set-up, allows.
std::string short_rtts(const Evidence &evidence)
{
    const RttSummary &rtt = evidence.rtt;
    const auto physics = static_cast<std::uint64_t>(evidence.path.least_rtt.count());
    if (const std::string those = sooner_than(rtt, physics); !those.empty())
        return fmt::format(
            "{} came sooner than this link allows, {} ns: the shortest RTT is {} ns; somebody "
            "guesses queries and answers them before they arrive, or a clock is wrong",
            those, physics, rtt.min);
    if (!evidence.certificate || !evidence.certificate->rtt_floor)
        return {};
    const CertificateCover &certificate = *evidence.certificate;
    const std::uint64_t bound = certificate.rtt_floor->bound();
    if (const std::string those = sooner_than(rtt, bound); !those.empty())
        return fmt::format(
            "{} came sooner than the certificate of {} ({}) allows on this set-up, {} ns, half of "
            "its smallest RTT: the shortest RTT is {} ns; somebody guesses queries and answers "
            "them before they arrive, a clock is wrong, or the set-up is no longer the same: "
            "calibrate it anew",
            those, certificate.finished, certificate.record, bound, rtt.min);
    return {};
}

// Returns the signs that somebody sent replies before, or without, their queries.
std::vector<std::string> premature_replies(const Evidence &evidence)
{
    std::vector<std::string> found;
    if (std::string text = short_rtts(evidence); !text.empty())
        found.push_back(std::move(text));
    const std::uint64_t strays = evidence.strays.unexpected + evidence.strays.duplicate;
    if (strays >= strays_least && strays * queries_per_stray > evidence.queries.sent)
        found.push_back(fmt::format(
            "{} unexpected and {} duplicate replies came beside {}, more than one for {}: the "
            "server, or somebody on the link, repeats replies, sends them after twice the timeout, "
            "or guesses queries and answers them in advance",
            evidence.strays.unexpected, evidence.strays.duplicate,
            counted(evidence.queries.sent, "query", "queries"), queries_per_stray));
    return found;
}

// Returns who had more of a CPU than the criteria allow others, and may be the server or not.
std::vector<std::string> unclear_guests(const std::vector<CpuUse> &cpus,
                                        const Tolerances &tolerances)
{
    std::vector<std::string> found;
    if (others_allowed(tolerances) == 100)
        return found;
    for (const CpuUse &use : cpus) {
        Nanoseconds had{};
        for (const CpuGuest &guest : use.guests)
            if (guest.side == CpuGuest::Side::unknown)
                had += guest.ran;
        if (had >
            std::max<Nanoseconds>(use.elapsed * others_allowed(tolerances) / 100, cpu_time_least))
            found.push_back(fmt::format("whether the server or others had CPU {}{} is not known",
                                        use.cpu, names_of(use, CpuGuest::Side::unknown, false)));
    }
    return found;
}

// Returns what the Tester did beyond the usual limits and within the loosened ones, and which
// figures that may have changed. Returns nothing if the usual limits bear it all. `borne` are the
// disturbances that the usual limits do not bear.
std::vector<std::string> loosely_borne(const Evidence &evidence,
                                       const std::vector<std::string> &borne)
{
    const Tolerances usual;
    const SendingSummary &sending = evidence.sending;
    std::vector<std::string> found;
    if (sending.lateness.max > static_cast<std::uint64_t>(usual.lateness.count()))
        found.push_back(fmt::format("queries left up to {} late (99 % of them up to {})",
                                    milliseconds(sending.lateness.max),
                                    milliseconds(sending.lateness.p99)));
    if (sending.duration > evidence.duration + overrun_allowed(evidence.duration, usual))
        found.push_back(fmt::format("sending took {} longer than the trial's duration",
                                    milliseconds(sending.duration - evidence.duration)));
    for (const bool is_testers : {true, false})
        for (std::string &one : disturbances(evidence.cpus, usual, is_testers))
            if (std::ranges::find(borne, one) == borne.end())
                found.push_back(std::move(one));
    if (found.empty())
        return {};
    const std::string median = evidence.rtt.count == 0
                                   ? std::string()
                                   : fmt::format(" (median {})", milliseconds(evidence.rtt.p50));
    return {fmt::format("the usual limits would not bear this trial: {}; so this machine may have "
                        "lost queries, and lengthened RTTs{}",
                        join(found, "; "), median)};
}

// Returns whether a lack of CPU time can be why the trial failed. It delays replies and loses some
// of them, but it changes none, and does not keep all of them away.
bool may_be_for_want_of_cpu(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    return queries.lost != queries.sent &&
           is_accepted(queries, queries.valid + queries.late + queries.lost, evidence);
}

// Returns which options to compare if a DNS64 server answers, but more than half of the answers
// have other data than the options say. Otherwise returns nothing.
std::string disagreeing_options(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    if (!evidence.dns64 || queries.invalid.wrong_data <= queries.sent / 2)
        return {};
    return fmt::format("; more than half of the answers are right but for their data, so options "
                       "disagree: compare --answer-prefix ({}) with the DNS64 server's Pref64, and "
                       "--aaaa-share ({}) and --aaaa-prefix ({}) with fakedns' own",
                       evidence.answer, evidence.dns64->aaaa_share, evidence.dns64->aaaa_prefix);
}

// Returns the counts above zero that explain a failure, with their labels.
std::string describe_counts(const char *name, const auto &counts, const auto &rows)
{
    const std::string told = joined(rows, [&counts](const auto &each) {
        const std::uint64_t count = counts.*each.count;
        return count != 0 && each.role == CountRole::explains
                   ? fmt::format("{} {}", count, each.label)
                   : "";
    });
    return told.empty() ? "" : fmt::format("; {}: {}", name, told);
}

// Returns what became of connections on the server's side, and of queries because of them.
std::string describe_connections(const ConnectionSummary &connections)
{
    std::string text = describe_counts("connections", connections.counts, connection_counts);
    if (connections.quic)
        text += describe_counts("QUIC", *connections.quic, quic_counts);
    const auto add = [&text](const char *what, const std::string &failure) {
        if (!failure.empty())
            text += fmt::format("; {} failed first for this reason: {}", what, failure);
    };
    if (connections.tls)
        add(connections.quic ? "QUIC" : "TLS", connections.tls->failure);
    if (connections.http)
        add("HTTP/2", connections.http->failure);
    return text;
}

// Returns what of the connections touches the figures.
std::vector<std::string> doubts_of_connections(const Evidence &evidence)
{
    std::vector<std::string> found;
    if (!evidence.connections)
        return found;
    const auto add = [&](std::uint64_t count, std::uint64_t all, const std::string &text) {
        if (count >= strays_least && count * queries_per_stray > all)
            found.push_back(text);
    };
    const ConnectionCounts &counts = evidence.connections->counts;
    add(counts.retransmissions, counts.segments,
        fmt::format("{} of {} were retransmitted: packets got lost on the way, and RTTs include "
                    "the retransmissions' time",
                    counts.retransmissions, counted(counts.segments, "segment")));
    add(counts.syn_retransmissions, counts.opened,
        fmt::format("{} SYN segments were retransmitted beside {}: packets got lost, or the "
                    "server's listen queue was full, and such handshakes took a second or more",
                    counts.syn_retransmissions, counted(counts.opened, "connection")));
    add(counts.octets_unsent, counts.octets_sent,
        fmt::format("{} of {} were left unsent when connections ended: the server did not read "
                    "them, and never got their queries",
                    counts.octets_unsent, counted(counts.octets_sent, "octet")));
    if (const std::optional<QuicCounts> &quic = evidence.connections->quic)
        add(quic->packets_lost, quic->datagrams_sent,
            fmt::format("{} with queries were lost beside {} sent: RTTs include the time until "
                        "QUIC sent the queries again",
                        counted(quic->packets_lost, "packet"),
                        counted(quic->datagrams_sent, "datagram")));
    const std::uint64_t sent = evidence.queries.sent;
    add(counts.unstamped, sent,
        fmt::format("{} replies came without the kernel's receive stamp beside {}: their RTTs end "
                    "when the Tester read them",
                    counts.unstamped, counted(sent, "query", "queries")));
    return found;
}

// Returns whether ever more queries had no reply, until many had none at the end. At other paces
// the rate itself may grow.
bool falls_behind(const Evidence &evidence)
{
    const bool is_even =
        evidence.pace.kind == Pace::Kind::constant || evidence.pace.kind == Pace::Kind::poisson;
    if (!evidence.connections || !is_even)
        return false;
    const Backlog &backlog = evidence.connections->backlog;
    const std::uint64_t at_end = backlog.back();
    std::uint64_t before = 0;
    for (const std::uint64_t now : backlog) {
        if (100 * now < 100 * before + percent_growth * at_end)
            return false;
        before = now;
    }
    return at_end >= failures_to_judge && 100 * at_end >= percent_behind * evidence.queries.sent;
}

// Returns that the server may have passed only because the trial ended before timeouts passed.
std::vector<std::string> doubts_of_backlog(const Evidence &evidence)
{
    if (!falls_behind(evidence))
        return {};
    const QueryCounts &queries = evidence.queries;
    const Backlog &backlog = evidence.connections->backlog;
    const double excess = static_cast<double>(backlog.back()) / static_cast<double>(queries.sent);
    return {fmt::format(
        "the server fell behind until the end: when all {} had been sent, {} had no reply yet "
        "({} at half), and waited on connections or for a place on one. It answered some {:.0f} "
        "queries/s meanwhile, and the rest in the timeout of {:g} s after the trial. Longer "
        "trials would show whether it bears the rate: for {:.1f} s or more",
        counted(queries.sent, "query", "queries"), backlog.back(), backlog.at(1),
        evidence.sending.achieved_rate * (1 - excess), seconds(evidence.timeout),
        2 * seconds(evidence.timeout) / excess)};
}

// Returns what makes a window's figures doubtful: places that the Tester filled late, and a number
// of open queries that contradicts the RTTs.
std::vector<std::string> doubts_of_window(const Evidence &evidence)
{
    constexpr double filled_least = 0.9;
    constexpr double deviation = 0.05;
    std::vector<std::string> found;
    if (!evidence.window)
        return found;
    const WindowSummary &window = *evidence.window;
    const auto places = static_cast<double>(window.places);
    if (!evidence.pace.most && window.mean_open < filled_least * places)
        found.push_back(fmt::format(
            "{:.2f} of {} were open on average: the Tester took {} (median) from an answer to the "
            "next query, so the server may answer more",
            window.mean_open, counted(window.places, "query", "queries"),
            milliseconds(evidence.sending.lateness.p50)));
    // The last queries' time goes beyond the sending's end. The times of wrong answers are unknown.
    const double bound =
        deviation * std::max(1.0, window.mean_open) +
        places * std::min(1.0, seconds(evidence.timeout) / seconds(evidence.sending.duration)) *
            (evidence.queries.valid == evidence.queries.sent ? 0 : 1) +
        places * evidence.rtt.mean / static_cast<double>(evidence.sending.duration.count());
    if (evidence.queries.invalid.total() == 0 &&
        std::abs(window.mean_open - window.mean_open_by_rtt) > bound)
        found.push_back(fmt::format(
            "{:.5g} queries were open on average, but {:.5g} by Little's law, rate times RTT: the "
            "difference is more than {:.5g}, so one of these figures is wrong",
            window.mean_open, window.mean_open_by_rtt, bound));
    return found;
}

const char *describe_success(const Evidence &evidence)
{
    const bool all = evidence.queries.valid == evidence.queries.sent;
    if (evidence.has_handshakes_alone)
        return all ? "every connection was opened in time"
                   : "enough connections were opened in time";
    return all ? "every query was answered right and in time"
               : "enough queries were answered right and in time";
}

std::string describe_failure(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    std::string text =
        evidence.has_handshakes_alone
            ? fmt::format("{} of {} not opened in time:", queries.sent - queries.valid,
                          counted(queries.sent, "connection"))
            : fmt::format("{} of {} not answered right in time:", queries.sent - queries.valid,
                          counted(queries.sent, "query", "queries"));
    const auto add = [&text](std::uint64_t count, const char *what) {
        if (count != 0)
            text += fmt::format(" {} {},", count, what);
    };
    add(queries.lost, "lost");
    add(queries.late, "late");
    for (const InvalidClass &each : invalid_classes)
        add(queries.invalid.*each.count, each.reason);
    text.pop_back();
    if (evidence.connections)
        text += describe_connections(*evidence.connections);
    if (evidence.silent_since)
        text += fmt::format("; the server stopped answering at {:.1f} s",
                            seconds(*evidence.silent_since));
    return text + disagreeing_options(evidence);
}

// The cause of a failure, by the times of the failed queries.
enum class Blame {
    server,
    stalls, // without them the criteria would be met
    unclear // too few queries were sent apart from stalls
};

// Returns the queries that were offered as promised: outside of stalls and of the stalls' costs.
DueQueries sent_outside_stalls(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    std::uint64_t failed = queries.sent - queries.valid - evidence.stalls->failed();
    if (evidence.places)
        failed -= std::min(failed, evidence.places->before_server);
    return {.queries =
                std::max(queries.sent - std::min(queries.sent, evidence.stalls->queries), failed),
            .failed = failed};
}

bool is_accepted(const DueQueries &part, const TrialTerms &terms)
{
    return is_accepted({.sent = part.queries}, part.queries - std::min(part.queries, part.failed),
                       terms);
}

// Returns whether the server fails long after stalls as often as soon after them. Failures that
// stalls cause become ever rarer.
bool fails_at_any_time(const Evidence &evidence)
{
    const StallSummary &stalls = *evidence.stalls;
    return stalls.later.failed >= failures_to_judge && !is_accepted(stalls.later, evidence) &&
           2 * stalls.later.failed_share() >= stalls.soon.failed_share();
}

// A query that comes late makes a server lose one query at most that it would not have lost
// otherwise, itself or another one: a buffer has one place less for the others, and so does a limit
// of the rate. So does a query that the server could not take while its CPU was away. Twice as many
// allow for what a server does not do so simply.
std::uint64_t most_by_stalls(const StallSummary &stalls)
{
    return 2 * stalls.delayed;
}

// Returns whether the queries that a probe saw die at the server are too many to be stalls' costs.
bool exceeds_stalls(const Evidence &evidence)
{
    if (!evidence.places || evidence.stalls->forgotten != 0)
        return false;
    const std::uint64_t died = evidence.places->at_server;
    return !is_accepted(evidence.queries,
                        evidence.queries.sent -
                            (died - std::min(died, most_by_stalls(*evidence.stalls))),
                        evidence);
}

Blame blame_of(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    // No stall silences a server.
    if (!evidence.stalls || evidence.stalls->failed() == 0 || queries.lost == queries.sent ||
        exceeds_stalls(evidence))
        return Blame::server;
    const DueQueries outside = sent_outside_stalls(evidence);
    if (outside.queries * 100 >= queries.sent * percent_to_judge)
        return is_accepted(outside, evidence) ? Blame::stalls : Blame::server;
    if ((outside.failed >= failures_to_judge && !is_accepted(outside, evidence)) ||
        fails_at_any_time(evidence))
        return Blame::server;
    return Blame::unclear;
}

// Returns "a burst of 901 queries that the Tester sent", or "3 bursts of up to 901 queries that
// ...". What is sent at a pace that has a limit is a backlog, and no burst.
std::string bursts_text(const StallGroup &group, const std::optional<double> &catch_up)
{
    const char *what = catch_up ? "backlog" : "burst";
    const std::string how =
        catch_up ? fmt::format(", at {:g} times the rate at most,", *catch_up) : "";
    const std::string queries = counted(group.largest_burst, "query", "queries");
    return (group.stalls == 1
                ? fmt::format("a {} of {}", what, queries)
                : fmt::format("{} of up to {}", counted(group.stalls, what), queries)) +
           " that the Tester sent" + how;
}

// Returns how many of the failed queries are stalls' costs, and which stalls these were.
std::string describe_stalls(const Evidence &evidence)
{
    const StallSummary &stalls = *evidence.stalls;
    const std::uint64_t all = evidence.queries.sent - evidence.queries.valid;
    std::string text;
    const auto add = [&](const StallCosts &costs, const std::string &what) {
        const std::uint64_t failed = costs.lost + costs.late;
        if (failed == 0)
            return;
        text += fmt::format("{}{} within {} {}{}", text.empty() ? "" : ", and ",
                            failed == all ? std::string("all") : fmt::format("{} of these", failed),
                            milliseconds(std::max(costs.reach, Nanoseconds{})), what,
                            costs.costly.stalls == 1 ? "" : "up to ");
        text += milliseconds(costs.costly.longest);
    };
    add(stalls.tester, "of " + bursts_text(stalls.tester.costly, evidence.catch_up) +
                           " after it had stood still for ");
    add(stalls.server, "after the server's CPU had been away " +
                           (stalls.server.costly.stalls == 1
                                ? std::string()
                                : counted(stalls.server.costly.stalls, "time") + ", ") +
                           "for ");
    return text;
}

std::string too_little_left(const Evidence &evidence)
{
    return fmt::format(", and the Tester stood still too often to say more: only {} of {} were "
                       "sent outside of stalls and of what these may have cost",
                       sent_outside_stalls(evidence).queries,
                       counted(evidence.queries.sent, "query", "queries"));
}

// Returns why a failure may be the Tester's own; empty if it is the server's. `disturbed` are the
// disturbances of all CPUs.
std::string testers_part(const Evidence &evidence, const std::vector<std::string> &disturbed)
{
    const QueryCounts &queries = evidence.queries;
    const OwnLosses &losses = evidence.own_losses;
    const std::uint64_t never = evidence.places ? evidence.places->before_server : 0;
    if (never != 0 && is_accepted(queries, queries.valid + never, evidence))
        return fmt::format("{} never reached the server's network stack: the way there lost {}, or "
                           "a program of the server that takes packets by XDP",
                           counted(never, "query", "queries"), never == 1 ? "it" : "them");
    // A reply that our own side dropped looks like the server's loss.
    if (may_be_drops(evidence) && losses.interface_receiving != 0)
        return fmt::format("{} itself dropped {}", evidence.circumstances.interface,
                           counted(losses.interface_receiving, "received packet"));
    const std::uint64_t doubtful = losses.interface_doubtful;
    if (may_be_drops(evidence) && doubtful != 0)
        return fmt::format("{} dropped {}, and it is unknown whether {}",
                           evidence.circumstances.interface, counted(doubtful, "received packet"),
                           doubtful == 1 ? "it was a reply" : "replies were among them");
    if (!disturbed.empty() && may_be_for_want_of_cpu(evidence))
        return join(disturbed, "; ");
    return {};
}

} // namespace

Nanoseconds overrun_allowed(Nanoseconds duration, const Tolerances &tolerances)
{
    const Nanoseconds share = duration / 100'000;
    if (tolerances.shared_machine)
        return std::max<Nanoseconds>(
            {duration / 1000, tolerances.overrun_least, std::chrono::milliseconds(10)});
    if (duration >= full_length && tolerances.overrun_least <= Tolerances{}.overrun_least)
        return share;
    return std::max(share, tolerances.overrun_least);
}

Nanoseconds lateness_allowed(Nanoseconds timeout, const Tolerances &tolerances)
{
    return tolerances.shared_machine ? std::max(tolerances.lateness, timeout / 20)
                                     : tolerances.lateness;
}

unsigned others_allowed(const Tolerances &tolerances)
{
    constexpr unsigned shared_percent = 25;
    return tolerances.shared_machine ? std::max(tolerances.others_percent, shared_percent)
                                     : tolerances.others_percent;
}

void take(TrialResult &result, Judgement judgement)
{
    result.verdict = judgement.verdict;
    result.why = std::move(judgement.why);
    for (std::string &doubt : judgement.doubts)
        result.caveats.doubts.push_back(std::move(doubt));
    result.tester_was_limit = judgement.tester_was_limit;
    result.rate_not_offered = judgement.rate_not_offered;
    if (result.stalls)
        result.stalls->decided = judgement.stalls_decided;
}

Judgement judge(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    Judgement judgement;
    const std::vector<std::string> disturbed =
        disturbances(evidence.cpus, evidence.tolerances, true);
    for (const auto &[reason, is_limit] :
         {std::pair{incomplete(evidence), false}, std::pair{own_loss(evidence), true},
          std::pair{bad_pacing(evidence), true}, std::pair{contradiction(evidence), false}}) {
        if (reason) {
            judgement.why = *reason;
            judgement.tester_was_limit = is_limit;
            // The processes that had the Tester's CPUs may be the reason.
            if (is_limit) {
                judgement.doubts = disturbed;
                judgement.rate_not_offered = is_beyond_tester(evidence, disturbed);
            }
            return judgement;
        }
    }
    const std::vector<std::string> at_server =
        disturbances(evidence.cpus, evidence.tolerances, false);
    std::vector<std::string> everywhere = disturbed;
    everywhere.insert(everywhere.end(), at_server.begin(), at_server.end());
    judgement.doubts = unclear_guests(evidence.cpus, evidence.tolerances);
    for (const std::vector<std::string> &more :
         {premature_replies(evidence), doubts_of_connections(evidence), doubts_of_window(evidence),
          loosely_borne(evidence, everywhere)})
        judgement.doubts.insert(judgement.doubts.end(), more.begin(), more.end());
    if (is_accepted(queries, queries.valid, evidence)) {
        judgement.doubts.insert(judgement.doubts.begin(), everywhere.begin(), everywhere.end());
        for (std::string &doubt : doubts_of_backlog(evidence))
            judgement.doubts.push_back(std::move(doubt));
        judgement.verdict = Verdict::pass;
        judgement.why = describe_success(evidence);
        return judgement;
    }
    judgement.why = describe_failure(evidence);
    if (const std::string part = testers_part(evidence, everywhere); !part.empty()) {
        judgement.why += "; but " + part;
        judgement.tester_was_limit = true;
        return judgement;
    }
    const Blame blame = blame_of(evidence);
    if (blame != Blame::server) {
        judgement.why += "; but " + describe_stalls(evidence);
        if (blame == Blame::unclear)
            judgement.why += too_little_left(evidence);
        judgement.tester_was_limit = true;
        judgement.stalls_decided = true;
        return judgement;
    }
    if (evidence.stalls && evidence.stalls->failed() != 0) {
        judgement.why += "; " + describe_stalls(evidence);
        if (fails_at_any_time(evidence))
            judgement.why += fmt::format(
                "; long after stalls {} of {} failed, too", evidence.stalls->later.failed,
                counted(evidence.stalls->later.queries, "query", "queries"));
        if (exceeds_stalls(evidence))
            judgement.why += fmt::format(
                "; the probe saw {} die at the server, and stalls can have cost {} at most",
                counted(evidence.places->at_server, "query", "queries"),
                most_by_stalls(*evidence.stalls));
    }
    if (evidence.stalls && evidence.stalls->forgotten != 0)
        judgement.doubts.push_back(
            fmt::format("the Tester stood still more often than it can note: what {} cost counts "
                        "as the server's failure",
                        counted(evidence.stalls->forgotten, "short stall")));
    judgement.doubts.insert(judgement.doubts.begin(), at_server.begin(), at_server.end());
    const OwnLosses &losses = evidence.own_losses;
    if (const std::uint64_t dropped = losses.interface_sending + losses.interface_receiving;
        dropped != 0)
        judgement.doubts.push_back(
            fmt::format("{} dropped {}; the server failed even if each was a query or a reply",
                        evidence.circumstances.interface, counted(dropped, "packet")));
    judgement.verdict = Verdict::fail;
    return judgement;
}

} // namespace dnsgauge
