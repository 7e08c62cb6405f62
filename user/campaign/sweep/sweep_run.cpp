// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sweep/sweep_run.h"

#include "result/labels.h"
#include "search/search_progress.h"
#include "text/sweep_text.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

// Returns what is said of a step once it has ended.
std::string outcome_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return "invalid: " + trial.why;
    return fmt::format("{} sent, {} answered, {} %", trial.queries.sent, trial.queries.valid,
                       answered_percent_text(trial.queries.valid, trial.queries.sent));
}

void describe(SweepResult &result, const SweepRequest &request)
{
    result.server = to_string(request.trial.server);
    result.duration = request.trial.duration;
    result.timeout = request.trial.timeout;
    result.caveats = caveats_of(request);
    if (const std::uint64_t again = result.made_again(result.end == SweepEnd::invalid_trial))
        result.caveats.deviations.push_back(
            fmt::format("invalid trials were made again ({})", again));
}

} // namespace

SweepResult make_sweep(const SweepRequest &request, Journal &journal, const std::atomic<bool> &stop)
{
    SearchProgress progress(request.sweep.repeat, request.trial.duration, trial_time(request),
                            caveats_text(caveats_of(request)), {},
                            {.series = "repetition", .trial = "step", .outcome = outcome_text});
    TrialSeries series(
        request.trial, request.between, stop,
        [&](const TrialProgress &now) { progress.trial_runs(now); },
        [&](const Trial &trial) {
            if (request.selftest)
                check_same_modes(*request.selftest, trial.circumstances());
        });
    SweepResult result = run_sweep(
        request.sweep, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            progress.trial_begins(place);
            std::optional<TrialResult> trial = series.run(place.turn.rate, place.begun);
            progress.trial_ends(trial);
            return trial;
        });
    if (stop && result.end == SweepEnd::invalid_trial)
        result.end = SweepEnd::interrupted;
    describe(result, request);
    return result;
}

} // namespace dnsgauge
