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

void describe(SweepResult &result, const SweepRequest &request)
{
    result.server = servers_text(result, request.trial);
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
                            {.series = "repetition", .trial = "step", .outcome = answered_text});
    SweepResult result = run_sweep(request.sweep, journal, shown_trials(request, progress, stop));
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

} // namespace dnsgauge
