// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/verdict.h"

#include "system/counted.h"
#include "system/listed.h"
#include "trial/doubts.h"
#include "trial/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dnsgauge
{

namespace
{

// The faults that end a trial early, or cost it some figures. In texts {0} is the interface, and
// {1} the Ethernet address that queries went to.
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

// Returns whether `valid` of the queries are enough. Compares whole numbers, because the rounding
// error of a double could demand one query too many.
bool is_accepted(const QueryCounts &queries, std::uint64_t valid, const TrialTerms &terms)
{
    __extension__ using Wide = unsigned __int128;
    const auto share = static_cast<std::uint64_t>(
        std::llround(terms.accept_percent * static_cast<double>(accept_steps_per_percent)));
    return Wide{valid} * 100 * accept_steps_per_percent >= Wide{share} * queries.sent;
}

// Returns whether packets that were lost outside of the server alone made the trial fail: it would
// pass if they had been answered. These are the packets that the interface dropped. A probe bounds
// them by the queries that were lost on the way, and by the replies that may have been dropped.
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
    // If every query was answered, the dropped packets were no queries. If more queries failed than
    // packets were dropped, the server failed.
    if (losses.interface_sending != 0 && evidence.queries.valid != evidence.queries.sent &&
        may_be_drops(evidence))
        return fmt::format("{} dropped {} on {} way out", evidence.circumstances.interface,
                           counted(losses.interface_sending, "packet"),
                           losses.interface_sending == 1 ? "its" : "their");
    return std::nullopt;
}

// A machine that others use is late at times, whatever the rate.
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

// Says whether the Tester was too slow for the rate, or late at the end.
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
    // A window has no schedule that the Tester could miss.
    if (evidence.window)
        return std::nullopt;
    const SendingSummary &sending = evidence.sending;
    const Nanoseconds allowed = overrun_allowed(evidence.duration, evidence.tolerances);
    const Nanoseconds latest = lateness_allowed(evidence.timeout, evidence.tolerances);
    if (sending.duration > evidence.duration + allowed)
        return fmt::format(
            "sending took {} longer than the trial's duration (--max-overrun allows {}): {}",
            milliseconds(sending.duration - evidence.duration), milliseconds(allowed),
            overrun_advice(evidence));
    if (sending.lateness.max > static_cast<std::uint64_t>(latest.count()))
        return fmt::format("a query was sent {} late (--max-lateness allows {}): {}{}",
                           milliseconds(sending.lateness.max), milliseconds(latest),
                           evidence.pace.kind == Pace::Kind::constant ? "the rate was not constant"
                                                                      : "the pace was another one",
                           shared_machine_advice(evidence.tolerances));
    // A query that leaves after its timeout cannot be answered in time, whatever lateness is
    // allowed.
    if (sending.driver_lag > std::min(latest, evidence.timeout))
        return fmt::format("the driver of {} still had a query {} after the query was due "
                           "({} allows {}): its queue stalled",
                           evidence.circumstances.interface, milliseconds(sending.driver_lag),
                           latest <= evidence.timeout ? "--max-lateness" : "--timeout",
                           milliseconds(std::min(latest, evidence.timeout)));
    if (sending.planned > evidence.queries.sent)
        return fmt::format("{} of {} were sent", evidence.queries.sent,
                           counted(sending.planned, "query", "queries"));
    return std::nullopt;
}

// Returns whether the rate is more than the Tester can offer, so that a trial at a lower rate may
// be valid. If nobody else had the Tester's CPUs, these are the signs:
// - most queries were late, so the Tester's CPUs were full;
// - the Tester fell behind by a tenth of the time and had not caught up at the end, as when
//   connections become ever slower to open;
// - the Tester had no socket, port, buffer or time left for a connection or a query;
// - the Tester's interface dropped queries.
// Stalls are no sign, because they occur at any rate.
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

// Returns whether a lack of CPU time can be why the trial failed. It delays or loses replies, but
// it does not change them, and it does not lose all.
bool may_be_for_want_of_cpu(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    return queries.lost != queries.sent &&
           is_accepted(queries, queries.valid + queries.late + queries.lost, evidence);
}

// The cause of a failure, by the times of the failed queries.
enum class Blame {
    server,
    stalls, // without them the criterion would be met
    unclear // too few queries were sent outside of stalls
};

// Returns the queries that were sent at the rate: outside of stalls and of their costs.
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

// Returns whether the server fails long after stalls about as often as soon after them. Failures
// that stalls cause become rarer.
bool fails_at_any_time(const Evidence &evidence)
{
    const StallSummary &stalls = *evidence.stalls;
    return stalls.later.failed >= failures_to_judge && !is_accepted(stalls.later, evidence) &&
           2 * stalls.later.failed_share() >= stalls.soon.failed_share();
}

// A query that comes late, or while the server's CPU is away, makes a server lose at most one query
// more, itself or another one: it takes one place of a buffer or of a rate limit. The factor allows
// for servers that are less simple.
std::uint64_t most_by_stalls(const StallSummary &stalls)
{
    return 2 * stalls.delayed;
}

// Returns whether stalls cannot have cost all queries that a probe saw die at the server.
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

std::string too_little_left(const Evidence &evidence)
{
    return fmt::format(", and the Tester stood still too often to say more: only {} of {} were "
                       "sent outside of stalls and of what these may have cost",
                       sent_outside_stalls(evidence).queries,
                       counted(evidence.queries.sent, "query", "queries"));
}

// Returns why a failure may be the Tester's; empty if it is the server's. `disturbed` are the
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
    // A reply that the Tester's own side dropped looks like the server's loss.
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

// Makes the judgement a failure of the server, and tells why nothing else can be the cause.
void blame_server(Judgement &judgement, const Evidence &evidence,
                  const std::vector<std::string> &at_server)
{
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
            // Processes that had the Tester's CPUs may be the reason.
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
    judgement.doubts = doubts_of(evidence, everywhere);
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
    blame_server(judgement, evidence, at_server);
    return judgement;
}

} // namespace dnsgauge
