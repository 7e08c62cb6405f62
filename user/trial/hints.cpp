// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/conclusion.h"

#include "system/counted.h"
#include "system/listed.h"
#include "system/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>

namespace dnsgauge
{

namespace
{

using HintFigures = decltype(Hint::figures);

// A finding of a row of the table: the sentence, and the figures behind it.
struct Pattern {
    std::string text{};
    HintFigures figures{};
};
using Patterns = std::vector<Pattern>;

// Fewer failures show no pattern.
constexpr std::uint64_t failures_least = 20;

std::uint64_t failures_in(const QueryCounts &queries)
{
    return queries.lost + queries.late;
}

// Returns how many of the lost queries the Tester may have lost itself.
std::uint64_t lost_by_tester(const TrialResult &result)
{
    const OwnLosses &own = result.own_losses;
    std::uint64_t packets =
        own.interface_sending + own.interface_receiving + own.interface_doubtful;
    for (const OwnLoss &kind : own.kinds)
        packets += kind.count;
    return std::min(packets, result.queries.lost);
}

// Returns how many queries failed because of the server or the way there.
std::uint64_t failures_elsewhere(const TrialResult &result)
{
    return failures_in(result.queries) - lost_by_tester(result);
}

// Returns whether part / whole is at least percent / 100.
bool is_share(std::uint64_t part, std::uint64_t whole, std::uint64_t percent)
{
    return 100 * part >= percent * whole;
}

// Returns whether no packet came back.
bool is_silent(const TrialResult &result)
{
    const QueryCounts &queries = result.queries;
    return queries.sent != 0 && queries.lost == queries.sent &&
           std::ranges::all_of(stray_classes, [&](const StrayClass &each) {
               return result.strays.*each.count == 0;
           });
}

// dig's options.
constexpr auto dig_options = words<Transport>({{Transport::udp, ""},
                                               {Transport::tcp, " +tcp"},
                                               {Transport::dot, " +tls"},
                                               {Transport::doh, " +https"},
                                               {Transport::doq, " +quic"},
                                               {Transport::capture, ""}});

// Says how to ask a server by hand that sent nothing back: in a silent trial, or in the silent
// parts of several Testers.
Patterns silence(const TrialResult &result)
{
    Patterns found;
    const auto add = [&](const std::string &to, const std::string &server, std::uint64_t sent) {
        found.push_back(
            {fmt::format(
                 "nothing came back{}: does a server listen there? Ask it by hand: dig @{} -p {}{}",
                 to, server, result.port, dig_options.text_of(result.transport)),
             {{"sent", sent}}});
    };
    if (result.testers.empty() && is_silent(result))
        add("", result.server, result.queries.sent);
    struct Part {
        std::vector<std::string> testers{};
        std::uint64_t sent = 0;
    };
    std::map<std::string, Part> silent; // by their server
    for (const TesterResult &tester : result.testers)
        if (tester.trial && is_silent(*tester.trial)) {
            Part &part = silent[tester.trial->server];
            part.testers.push_back(fmt::format("Tester {}", tester.rank));
            part.sent += tester.trial->queries.sent;
        }
    for (const auto &[server, part] : silent)
        add(fmt::format(" to {}", listed(part.testers, "and")), server, part.sent);
    return found;
}

// Returns how many datagrams the server's sockets dropped.
std::uint64_t drops_of(const TrialResult &result)
{
    return std::accumulate(result.server_drops.begin(), result.server_drops.end(), std::uint64_t{});
}

// Returns whether the right answers to all queries have the same length.
bool has_equal_answers(const TrialResult &result)
{
    return !result.replay && !result.mix && (!result.list || result.list->distinct == 1);
}

// A server with a rate limit answers with TC and no record, or drops the query. By default NSD and
// BIND do both in turn (slip 2), and Knot DNS always answers (slip 1). A server that sets TC for
// want of room sets it in all equal answers. An empty reply is at most as long as header, longest
// question and OPT.
Patterns rate_limit(const TrialResult &result)
{
    constexpr std::uint64_t empty_most = 12 + 255 + 4 + 11;
    const std::uint64_t truncated = result.queries.invalid.truncated;
    const std::uint64_t lost =
        result.queries.lost - std::min(drops_of(result), result.queries.lost);
    const bool is_one_network = !result.replay || result.replay->clients_in.empty();
    std::uint64_t small = 0;
    for (const CountedRange &range : result.replies.sizes)
        small += range.from <= empty_most ? range.count : 0;
    if (result.transport != Transport::udp || !is_one_network || truncated < failures_least ||
        small < result.replies.tc)
        return {};
    const bool are_halves = lost >= failures_least && is_share(truncated, truncated + lost, 40) &&
                            is_share(lost, truncated + lost, 40);
    if (!are_halves && (!has_equal_answers(result) || result.queries.valid == 0))
        return {};
    const std::string others = are_halves ? fmt::format("about as many, {}, got none", lost)
                                          : std::string("others got the whole answer");
    return {{fmt::format("looks like response-rate limiting: {} queries of one client network got "
                         "an empty reply with TC, and {} (NSD: rrl-ratelimit, BIND: rate-limit, "
                         "Knot: mod-rrl)",
                         truncated, others),
             {{"truncated", truncated}, {"lost", lost}}}};
}

// Says how many of the losses found the server's buffer full.
Patterns socket_buffer(const TrialResult &result)
{
    const std::uint64_t drops = drops_of(result);
    const std::uint64_t lost = result.queries.lost;
    if (result.transport != Transport::udp || lost < failures_least || !is_share(drops, lost, 50))
        return {};
    const auto full = static_cast<std::uint64_t>(std::ranges::count_if(
        result.server_drops, [](std::uint64_t socket) { return socket != 0; }));
    const bool are_of_bursts = result.stalls && is_share(result.stalls->tester.lost, lost, 50);
    const char *const why =
        are_of_bursts ? "the Tester sent most of these in bursts, after it had stood still"
                      : "the server read them too late, all the time or in bursts, which a larger "
                        "buffer would bear (net.core.rmem_default, or an option of the server's)";
    return {{fmt::format("{} datagrams found the buffer of {} of the server's {} full (the "
                         "kernel's RcvbufErrors), beside {} lost queries: {}",
                         drops, full, counted(result.server_drops.size(), "socket"), lost, why),
             {{"drops", drops},
              {"sockets_with_drops", full},
              {"sockets", result.server_drops.size()},
              {"lost", lost}}}};
}

// A query's source port is as good as random. So if a port has ten losses on average, one in 22,000
// has none.
Patterns source_ports(const TrialResult &result)
{
    constexpr std::uint64_t losses_each = 10;
    constexpr std::uint64_t percent_spared = 10;
    const std::uint64_t lost = result.queries.lost;
    if (result.transport != Transport::udp || !result.port_losses || lost == result.queries.sent)
        return {};
    const auto &[ports, with_losses] = *result.port_losses;
    if (with_losses == ports || lost - lost_by_tester(result) < losses_each * ports ||
        !is_share(ports - with_losses, ports, percent_spared))
        return {};
    return {{fmt::format("all {} lost queries left from {} of {} source ports. Look at what these "
                         "ports lead to: one of the server's sockets (SO_REUSEPORT), a queue of a "
                         "card, or a path",
                         lost, with_losses, ports),
             {{"ports", ports}, {"ports_with_losses", with_losses}, {"lost", lost}}}};
}

// Says which CPUs a failing server had for the whole time of sending.
Patterns full_cpu(const TrialResult &result)
{
    constexpr std::int64_t percent_full = 90;
    const Nanoseconds sending = result.sending.duration;
    if (failures_elsewhere(result) < failures_least || sending <= Nanoseconds{})
        return {};
    std::vector<std::string> full;
    HintFigures figures{{"sending_ns", static_cast<std::uint64_t>(sending.count())}};
    std::size_t servers = 0;
    for (const CpuUse &use : result.cpus) {
        servers += use.server_ran > Nanoseconds{} ? 1 : 0;
        if (use.server_ran * 100 < sending * percent_full)
            continue;
        full.push_back(fmt::format("CPU {} for {:.2f} s", use.cpu, seconds(use.server_ran)));
        figures.emplace_back(fmt::format("cpu_{}_ns", use.cpu),
                             static_cast<std::uint64_t>(use.server_ran.count()));
    }
    if (full.empty())
        return {};
    const std::string which = servers == 1
                                  ? std::string("the only CPU where it ran was")
                                  : fmt::format("{} of the {} CPUs where it ran {}", full.size(),
                                                servers, full.size() == 1 ? "was" : "were");
    return {{fmt::format("the server had {} in {:.2f} s of sending: {} full, however idle the "
                         "whole machine is",
                         listed(full, "and"), seconds(sending), which),
             std::move(figures)}};
}

// Other paces may ask more at the beginning. Losses by stalls, or by the Tester, have another
// reason.
Patterns first_second(const TrialResult &result)
{
    using namespace std::chrono_literals;
    const bool is_steady =
        result.pace.kind == Pace::Kind::constant || result.pace.kind == Pace::Kind::poisson;
    const std::uint64_t failed = failures_in(result.queries);
    if (!is_steady || result.duration < 3s || result.interval > 1s || result.intervals.empty() ||
        failed < failures_least || lost_by_tester(result) != 0 ||
        (result.stalls && result.stalls->failed() != 0) ||
        std::ranges::any_of(result.intervals, [](const IntervalSummary &interval) {
            return interval.since >= 1s && failures_in(interval.queries) != 0;
        }))
        return {};
    return {{fmt::format("all {} lost and late queries left in the first second: a server with a "
                         "cold cache fails so, or one that was just started. Compare with a second "
                         "trial at once, or count the rest apart (--since 1)",
                         failed),
             {{"failed", failed}}}};
}

// Returns the RTT, in nanoseconds, if a server with Nagle's algorithm holds each reply until the
// Tester's delayed acknowledgement, which comes with the connection's next query or by the kernel's
// timer.
double held_rtt(const TrialResult &result)
{
    constexpr double timer = 40e6;
    const double connections = static_cast<double>(result.connections->at_once) *
                               static_cast<double>(result.sending.lanes.size());
    return std::min(1e9 * connections / static_cast<double>(result.rate.per_second), timer);
}

Patterns nagle(const TrialResult &result)
{
    if (!result.connections || result.connections->acks != Acks::delayed || result.rtt.count == 0)
        return {};
    constexpr double slack = 1.15;
    const double held = held_rtt(result);
    const auto median = static_cast<double>(result.rtt.p50);
    if (median < held || median > slack * held)
        return {};
    return {{fmt::format(
                 "the median RTT is the time until the Tester acknowledges a reply ({:.3f} ms): a "
                 "server with Nagle's algorithm waits for that before it sends the next one. "
                 "Compare with --acks quick",
                 held / 1e6),
             {{"rtt_p50_ns", result.rtt.p50}, {"held_ns", static_cast<std::uint64_t>(held)}}}};
}

Patterns waiting(const TrialResult &result)
{
    if (!result.connections ||
        2 * result.connections->counts.waited_for_pipeline <= result.queries.sent)
        return {};
    return {{"most RTTs begin in the Tester, where queries waited for a place on a connection: "
             "give more --connections or a lower rate",
             {{"waited_for_pipeline", result.connections->counts.waited_for_pipeline},
              {"sent", result.queries.sent}}}};
}

struct HintRow {
    const char *kind;
    Patterns (*look)(const TrialResult &);
};

constexpr std::array hint_rows{
    HintRow{"silence", silence},
    HintRow{"rate_limit", rate_limit},
    HintRow{"socket_buffer", socket_buffer},
    HintRow{"source_ports", source_ports},
    HintRow{"full_cpu", full_cpu},
    HintRow{"first_second", first_second},
    HintRow{"nagle", nagle},
    HintRow{"waiting", waiting},
};

} // namespace

std::vector<Hint> hints_of(const TrialResult &result)
{
    std::vector<Hint> hints;
    for (const HintRow &row : hint_rows)
        for (Pattern &pattern : row.look(result))
            hints.push_back({.kind = row.kind,
                             .text = std::move(pattern.text),
                             .figures = std::move(pattern.figures)});
    return hints;
}

} // namespace dnsgauge
