// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "replay/replay.h"

#include "record/json.h"
#include "record/json_text.h"
#include "replay/replay_bands.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

RcodeCounts read_rcodes(const Json &json)
{
    RcodeCounts counts;
    for (const auto &[rcode, count] : json.items())
        counts[plain_text(rcode)] = whole_number(count);
    return counts;
}

// Throws std::invalid_argument if the part of a trial has more answers than queries.
void check_answers(std::uint64_t answered, std::uint64_t sent)
{
    if (answered > sent)
        throw std::invalid_argument("a part of a run with more answers than queries");
}

double read_share(const Json &json)
{
    const auto share = json.get<double>();
    if (share < 0 || share > 1)
        throw std::invalid_argument("no share: " + json.dump());
    return share;
}

ReplayInterval read_interval(const Json &json)
{
    ReplayInterval interval{.since = read_seconds(json.at("since_s")),
                            .sent = whole_number(json.at("sent")),
                            .answered = whole_number(json.at("valid")),
                            .rcodes = read_rcodes(json.at("rcodes"))};
    check_answers(interval.answered, interval.sent);
    return interval;
}

RttCurve read_curve(const Json &json)
{
    RttCurve curve{.slower_than_1ms = read_share(json.at("slower_than_1ms")),
                   .slower_than_10ms = read_share(json.at("slower_than_10ms")),
                   .slower_than_100ms = read_share(json.at("slower_than_100ms")),
                   .slower_than_1s = read_share(json.at("slower_than_1s")),
                   .points = {}};
    for (const Json &point : json.at("points"))
        curve.points.push_back({read_share(point.at(0)), whole_number(point.at(1))});
    return curve;
}

ReplayLatency read_latency(const Json &part, const Json &curve)
{
    ReplayLatency latency{.sent = whole_number(part.at("sent")),
                          .answered = whole_number(part.at("valid")),
                          .rtt_p50 = read_figure(part.at("rtt_ns").at("p50")),
                          .rtt_p99 = read_figure(part.at("rtt_ns").at("p99")),
                          .curve = read_curve(curve)};
    check_answers(latency.answered, latency.sent);
    return latency;
}

// Reads what a replay keeps of a trial, in the journal's form. A run too short for two parts has
// its latency from the whole run.
ReplayRun read_run(const SearchTrial &known, const Json &trial)
{
    const UnansweredQueries unanswered = read_unanswered(known, trial);
    ReplayRun run{.sent = known.sent,
                  .answered = known.valid,
                  .late = unanswered.late,
                  .invalid = unanswered.invalid,
                  .reasons = read_invalid(trial.at("invalid")),
                  .lost = unanswered.lost,
                  .rcodes = read_rcodes(trial.at("rcodes"))};
    const Json &lateness = trial.at("sending").at("lateness_ns");
    run.lateness_p99 = whole_number(lateness.at("p99"));
    run.lateness_max = whole_number(lateness.at("max"));
    for (const Json &interval : trial.at("intervals"))
        run.intervals.push_back(read_interval(interval));
    run.later = trial.at("later_part").is_null()
                    ? read_latency(trial, trial.at("rtt_curve"))
                    : read_latency(trial.at("later_part"), trial.at("later_rtt_curve"));
    return run;
}

} // namespace

std::uint32_t first_slice(unsigned run, std::uint32_t slices)
{
    constexpr double golden = 0.618;
    auto step = static_cast<std::uint32_t>(std::lround(golden * slices));
    while (std::gcd(step, slices) > 1)
        step++;
    return static_cast<std::uint32_t>(std::uint64_t{run - 1} * step % slices);
}

void keep_runs(ReplayResult &result, unsigned runs)
{
    if (result.runs.size() <= runs)
        return;
    result.runs.resize(runs);
    result.runs_wanted = runs;
    result.bands = bands_of(result.runs);
}

ReplayResult run_replay(const RunsPlan &plan, Journal &journal, const TrialRunner &run)
{
    ReplayResult result;
    bool is_in_journal = true;
    const auto next = [&]() -> std::optional<SearchTurn> {
        if (!is_in_journal && result.runs.size() >= plan.runs)
            return std::nullopt;
        return SearchTurn{static_cast<unsigned>(result.runs.size() + 1), 1,
                          plan.rates.at(result.runs.size() % plan.rates.size())};
    };
    JournalledTrials trials(journal,
                            {.next = next,
                             .feed =
                                 [&](const SearchTrial &trial, const Json &whole) {
                                     if (trial.verdict != Verdict::invalid)
                                         result.runs.push_back(read_run(trial, whole));
                                 },
                             .left = [&] { return TrialsLeft{plan.runs - result.runs.size()}; }},
                            "replay", plan.invalid_retries);
    trials.replay();
    is_in_journal = false;
    result.end = trials.run(run);
    static_cast<TrialLog &>(result) = trials.log();
    result.runs_wanted = std::max(plan.runs, static_cast<unsigned>(result.runs.size()));
    result.bands = bands_of(result.runs);
    return result;
}

} // namespace dnsgauge
