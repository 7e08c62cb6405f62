// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/doubts.h"

#include "system/counted.h"
#include "system/listed.h"
#include "trial/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dnsgauge
{

namespace
{

// Returns a text such as " (cc1 (14 processes) 0.900 s, sh (process 12) 0.430 s)": the guests on
// one side, by name, and how long they ran or waited. Names only the busiest, because a build has
// hundreds of processes.
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

// Returns a text such as "3 valid replies" for the number of RTTs below `floor` nanoseconds; empty
// if there are none.
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

// Returns a doubt if RTTs are shorter than the link, or the calibration of the set-up, allows.
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

// Returns who had more of a CPU than the tolerances allow others, and may or may not be the server.
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

// Returns what exceeded the usual limits, though not the loosened ones, and which figures it may
// have changed; nothing if nothing did. `named` are disturbances that have a doubt already.
std::vector<std::string> loosely_borne(const Evidence &evidence,
                                       const std::vector<std::string> &named)
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
            if (std::ranges::find(named, one) == named.end())
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

// Returns doubts about figures that connections changed.
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

// Returns whether the number of queries without a reply grew until many had none at the end. Only
// for even paces, because at other paces the rate itself may grow.
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

// Returns doubts about a window's figures: the Tester filled places late, or the number of open
// queries contradicts the RTTs.
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
    // The last queries are open after sending has ended. The times of wrong answers are unknown.
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

} // namespace

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
                    "where the server pins its threads itself)",
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

std::vector<std::string> doubts_of(const Evidence &evidence, const std::vector<std::string> &named)
{
    std::vector<std::string> doubts = unclear_guests(evidence.cpus, evidence.tolerances);
    for (const std::vector<std::string> &more :
         {premature_replies(evidence), doubts_of_connections(evidence), doubts_of_window(evidence),
          loosely_borne(evidence, named)})
        doubts.insert(doubts.end(), more.begin(), more.end());
    return doubts;
}

} // namespace dnsgauge
