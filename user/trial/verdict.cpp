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

// In whole numbers: by a fraction of which no double is the value, one query too many were asked
// for.
bool is_accepted(const TrialResult &result)
{
    __extension__ using Wide = unsigned __int128;
    const QueryCounts &queries = result.queries;
    const auto share = static_cast<std::uint64_t>(
        std::llround(result.accept_percent * static_cast<double>(accept_steps_per_percent)));
    return Wide{queries.valid} * 100 * accept_steps_per_percent >= Wide{share} * queries.sent;
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
    return text;
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
    if (is_accepted(result)) {
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
    result.verdict = Verdict::fail;
}

} // namespace dnsgauge
