// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string milliseconds(std::uint64_t nanoseconds)
{
    return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

std::optional<std::string> incomplete(const TrialResult &result, const TrialEnd &end)
{
    if (end.interrupted)
        return "interrupted before all queries were sent and answered";
    if (end.link_failed)
        return fmt::format("the link of {} went down during the trial",
                           result.circumstances.interface);
    if (end.next_hop_moved)
        return fmt::format("the next hop's Ethernet address changed during the trial, and queries "
                           "went to the old one, {}",
                           result.circumstances.next_hop_mac);
    if (end.not_pinned_to)
        return fmt::format("a sender could not be pinned to CPU {}: may this process still use it "
                           "(taskset, cpuset)?",
                           *end.not_pinned_to);
    if (end.log_failed)
        return "the --per-query file could not be written in full: is the disk full?";
    if (end.not_logged != 0)
        return fmt::format("the --per-query file lacks {} queries: it was written too slowly for "
                           "this rate",
                           end.not_logged);
    return std::nullopt;
}

std::optional<std::string> own_loss(const TrialResult &result)
{
    const OwnLosses &losses = result.own_losses;
    if (losses.unsent != 0)
        return fmt::format("the kernel did not send {} of the queries it was given", losses.unsent);
    if (losses.invalid_descriptors != 0)
        return fmt::format("AF_XDP refused {} queries", losses.invalid_descriptors);
    // Where every query was answered, what was dropped was none.
    if (losses.interface_sending != 0 && result.queries.valid != result.queries.sent)
        return fmt::format("{} dropped {} packets on their way out", result.circumstances.interface,
                           losses.interface_sending);
    if (losses.recycled_early != 0)
        return fmt::format("the sender stalled for so long that {} queries lost their place before "
                           "their timeout had passed",
                           losses.recycled_early);
    return std::nullopt;
}

std::optional<std::string> bad_pacing(const TrialResult &result, const Tolerances &tolerances)
{
    const SendingSummary &sending = result.sending;
    const Nanoseconds allowed = overrun_allowed(result.duration, tolerances);
    if (sending.duration > result.duration + allowed)
        return fmt::format(
            "sending took {} longer than the trial's duration ({} are allowed): the Tester reached "
            "{:.0f} of {} queries per second",
            milliseconds(static_cast<std::uint64_t>((sending.duration - result.duration).count())),
            milliseconds(static_cast<std::uint64_t>(allowed.count())), sending.achieved_rate,
            result.rate.per_second);
    if (sending.lateness_max > static_cast<std::uint64_t>(tolerances.lateness.count()))
        return fmt::format("a query was sent {} late (--max-lateness allows {}): the rate was not "
                           "constant",
                           milliseconds(sending.lateness_max),
                           milliseconds(static_cast<std::uint64_t>(tolerances.lateness.count())));
    if (sending.driver_lag > static_cast<std::uint64_t>(tolerances.lateness.count()))
        return fmt::format("a query was still with the driver of {} {} after it was due "
                           "(--max-lateness allows {}): its queue stalled",
                           result.circumstances.interface, milliseconds(sending.driver_lag),
                           milliseconds(static_cast<std::uint64_t>(tolerances.lateness.count())));
    return std::nullopt;
}

// Counters that contradict each other are worse than none.
std::optional<std::string> contradiction(const QueryCounts &queries)
{
    if (queries.valid + queries.late + queries.invalid.total() + queries.lost != queries.sent)
        return "the counts contradict each other: please report this";
    return std::nullopt;
}

// Whether so many valid ones are enough. In whole numbers: by a fraction of which no double is the
// value, one query too many were asked for.
bool is_accepted(const TrialResult &result, std::uint64_t valid)
{
    __extension__ using Wide = unsigned __int128;
    const auto share = static_cast<std::uint64_t>(
        std::llround(result.accept_percent * static_cast<double>(accept_steps_per_percent)));
    return Wide{valid} * 100 * accept_steps_per_percent >= Wide{share} * result.queries.sent;
}

// " (sh (process 12) 0.430 s, cc1 (process 13) 0.100 s)", of the guests on one side: what they ran,
// or waited.
std::string names_of(const CpuUse &use, CpuGuest::Side side, bool waited)
{
    std::string text;
    for (const CpuGuest &guest : use.guests)
        if (guest.side == side)
            text += fmt::format("{}{} (process {}) {:.3f} s", text.empty() ? "" : ", ", guest.name,
                                guest.process, seconds(waited ? guest.waited : guest.ran));
    return text.empty() ? text : " (" + text + ")";
}

// Who took a CPU that the trial used, for longer than others may: all that have an influence of
// which the trial's own figures say nothing.
std::vector<std::string> disturbances(const TrialResult &result, const Tolerances &tolerances,
                                      bool is_testers)
{
    std::vector<std::string> found;
    if (tolerances.others_percent == 100)
        return found;
    for (const CpuUse &use : result.cpus) {
        if ((use.sends || use.receives) != is_testers)
            continue;
        const Nanoseconds most =
            std::max<Nanoseconds>(use.elapsed * tolerances.others_percent / 100, cpu_time_least);
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
                    "give each a CPU of its own (--cpus; tools/lab exec --cpu N)",
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

// Whether a want of CPU can be why the trial failed: it can delay replies and have them lost, but
// not change them, and not keep all of them away.
bool may_be_for_want_of_cpu(const TrialResult &result)
{
    const QueryCounts &queries = result.queries;
    return queries.lost != queries.sent &&
           is_accepted(result, queries.valid + queries.late + queries.lost);
}

// Returns what to compare where a DNS64 server answers, but most answers have other data than the
// options say: the server's configuration and the options disagree.
std::string other_data(const TrialResult &result)
{
    if (!result.dns64 || result.queries.invalid.wrong_data <= result.queries.sent / 2)
        return {};
    return fmt::format(
        "; more than half of the answers are right but for their data, so options disagree: either "
        "--answer-prefix ({}) and the DNS64 server's Pref64, or --aaaa-share ({}) and "
        "--aaaa-prefix ({}) and those of fakedns",
        result.answer, result.dns64->aaaa_share, result.dns64->aaaa_prefix);
}

std::string describe_failure(const TrialResult &result)
{
    const QueryCounts &queries = result.queries;
    std::string text = fmt::format(
        "{} of {} queries not answered right in time:", queries.sent - queries.valid, queries.sent);
    const auto add = [&text](std::uint64_t count, const char *what) {
        if (count != 0)
            text += fmt::format(" {} {},", count, what);
    };
    add(queries.lost, "lost");
    add(queries.late, "late");
    for (const InvalidClass &each : invalid_classes)
        add(queries.invalid.*each.count, each.reason);
    text.pop_back();
    return text + other_data(result);
}

} // namespace

Nanoseconds overrun_allowed(Nanoseconds duration, const Tolerances &tolerances)
{
    const Nanoseconds share = duration / 100'000;
    if (duration >= full_length && tolerances.overrun_least <= Tolerances{}.overrun_least)
        return share;
    return std::max(share, tolerances.overrun_least);
}

void judge_trial(TrialResult &result, const Tolerances &tolerances, const TrialEnd &end)
{
    result.verdict = Verdict::invalid;
    result.doubts.clear();
    for (const auto &[reason, is_limit] :
         {std::pair{incomplete(result, end), false}, std::pair{own_loss(result), true},
          std::pair{bad_pacing(result, tolerances), true},
          std::pair{contradiction(result.queries), false}}) {
        if (reason) {
            result.why = *reason;
            result.tester_was_limit = is_limit;
            return;
        }
    }
    const std::vector<std::string> disturbed = disturbances(result, tolerances, true);
    result.doubts = disturbances(result, tolerances, false);
    if (is_accepted(result, result.queries.valid)) {
        result.doubts.insert(result.doubts.begin(), disturbed.begin(), disturbed.end());
        result.verdict = Verdict::pass;
        result.why = result.queries.valid == result.queries.sent
                         ? "every query was answered right and in time"
                         : "enough queries were answered right and in time";
        return;
    }
    result.why = describe_failure(result);
    // What the server sent and our own side dropped looks like the server's loss.
    if (result.own_losses.interface_receiving != 0) {
        result.why +=
            fmt::format("; but {} itself dropped {} received packets",
                        result.circumstances.interface, result.own_losses.interface_receiving);
        result.tester_was_limit = true;
        return;
    }
    const std::uint64_t doubtful = result.own_losses.interface_doubtful;
    if (doubtful != 0 &&
        is_accepted(result, result.queries.valid + std::min(doubtful, result.queries.lost))) {
        result.why += fmt::format("; but {} dropped {} received packets, and nobody knows whether "
                                  "replies were among them",
                                  result.circumstances.interface, doubtful);
        result.tester_was_limit = true;
        return;
    }
    if (!disturbed.empty() && may_be_for_want_of_cpu(result)) {
        result.why += "; but " + fmt::format("{}", fmt::join(disturbed, "; "));
        result.tester_was_limit = true;
        return;
    }
    result.verdict = Verdict::fail;
}

} // namespace dnsgauge
