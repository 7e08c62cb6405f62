// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sweep/sweep_run.h"

#include "result/labels.h"
#include "search/shown_trials.h"
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
    add_made_again(result.caveats, result, result.end == TrialsEnd::invalid_trial);
}

} // namespace

SweepResult make_sweep(const SweepRequest &request, Journal &journal, const std::atomic<bool> &stop)
{
    SearchProgress progress(request.sweep.repeat, request.trial.duration, trial_time(request),
                            caveats_text(caveats_of(request)), {},
                            {.series = "repetition", .trial = "step", .outcome = outcome_text});
    SweepResult result = run_sweep(request.sweep, journal, shown_trials(request, progress, stop));
    if (stop && result.end == TrialsEnd::invalid_trial)
        result.end = TrialsEnd::interrupted;
    describe(result, request);
    return result;
}

} // namespace dnsgauge
