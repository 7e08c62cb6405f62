// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest.h"

namespace dnsgauge
{

namespace
{

TrialSummary judged(const TrialResult &result)
{
    TrialSummary trial{.rate = result.rate,
                       .verdict = result.verdict,
                       .sent = result.queries.sent,
                       .valid = result.queries.valid,
                       .why = result.why};
    if (result.verdict == Verdict::invalid && result.tester_was_limit)
        trial.verdict = Verdict::fail;
    return trial;
}

// Sets the highest rate that passed, and the lowest rate above it that failed.
void conclude(SelftestOutcome &outcome)
{
    for (const SelftestTrial &tried : outcome.trials)
        if (tried.trial.verdict == Verdict::pass &&
            (!outcome.allowed || tried.r > *outcome.allowed))
            outcome.allowed = tried.r;
    for (const SelftestTrial &tried : outcome.trials)
        if (tried.trial.verdict == Verdict::fail &&
            (!outcome.allowed || tried.r > *outcome.allowed) &&
            (!outcome.stopped_by || tried.r <= outcome.stopped_by->r))
            outcome.stopped_by = tried;
}

// Returns the circumstances of the Testers that sent their parts, without rank 0.
std::vector<Circumstances> others_of(const TrialResult &trial)
{
    std::vector<Circumstances> others;
    for (const TesterResult &tester : trial.testers)
        if (tester.rank != 0 && tester.trial)
            others.push_back(tester.trial->circumstances);
    return others;
}

} // namespace

SelftestOutcome run_selftest(const SelftestPlan &plan, const TrialRunner &run)
{
    SelftestOutcome outcome;
    Bisection bisection(plan.range, plan.confirm, Bisection::first_ends(plan.range));
    while (bisection.state() == Bisection::State::open) {
        const auto number = static_cast<unsigned>(outcome.trials.size());
        const Rate r = bisection.next();
        const std::optional<TrialResult> result =
            run({{1, number + 1, plan.rule.rate_for(r)}, number, {bisection.trials_left()}});
        if (!result) {
            outcome.end = TrialsEnd::interrupted;
            return outcome;
        }
        outcome.trials.push_back({r, judged(*result)});
        outcome.circumstances = result->circumstances;
        outcome.other_circumstances = others_of(*result);
        if (outcome.trials.back().trial.verdict == Verdict::invalid) {
            outcome.end = TrialsEnd::invalid_trial;
            outcome.stopped_by = outcome.trials.back();
            return outcome;
        }
        bisection.feed(outcome.trials.back().trial.verdict == Verdict::pass);
    }
    outcome.end = end_of(bisection.state());
    conclude(outcome);
    return outcome;
}

} // namespace dnsgauge
