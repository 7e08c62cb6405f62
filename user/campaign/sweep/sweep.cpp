// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sweep/sweep.h"

#include "record/json.h"
#include "record/json_text.h"

#include <optional>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

// Reads what a sweep keeps of a trial, in the journal's form.
SweepStep read_step(const SearchTrial &trial, const Json &whole)
{
    SweepStep step;
    step.rate = trial.rate;
    step.sent = trial.sent;
    step.answered = trial.valid;
    const UnansweredQueries unanswered = read_unanswered(trial, whole);
    step.late = unanswered.late;
    step.invalid = unanswered.invalid;
    step.lost = unanswered.lost;
    step.rtt_p50 = read_figure(whole.at("rtt_ns").at("p50"));
    step.rtt_p99 = read_figure(whole.at("rtt_ns").at("p99"));
    return step;
}

} // namespace

SweepResult run_sweep(const SweepPlan &plan, Journal &journal, const TrialRunner &run)
{
    SweepSteps steps(plan);
    JournalledTrials trials(journal,
                            {.next = [&] { return steps.next(); },
                             .feed =
                                 [&](const SearchTrial &trial, const Json &whole) {
                                     if (trial.verdict != Verdict::invalid)
                                         steps.feed(read_step(trial, whole));
                                 },
                             .left = [&] { return TrialsLeft{steps.left()}; }},
                            "sweep", plan.invalid_retries);
    trials.replay();
    SweepResult result;
    result.end = trials.run(run);
    static_cast<TrialLog &>(result) = trials.log();
    result.min_rate = plan.min;
    result.max_rate = plan.max;
    result.rates = plan.rates;
    result.spacing = plan.spacing;
    result.repeat = plan.repeat;
    result.steps = steps.made();
    return result;
}

} // namespace dnsgauge
