// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mlr/loss_search_run.h"

#include "mlr/loss_ratio_search.h"
#include "result/labels.h"
#include "search/shown_trials.h"
#include "text/loss_search_text.h"
#include "trial/compliance.h"

#include <fmt/format.h>

#include <utility>

namespace dnsgauge
{

namespace
{

std::string outcome_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return verdict_text(trial);
    return fmt::format("{} % lost", lost_percent_text(trial.queries.valid, trial.queries.sent));
}

void describe(LossSearchResult &result, const SearchRequest &request)
{
    result.server = servers_text(result, request.trial);
    result.timeout = request.trial.timeout;
    std::vector<std::string> deviations = trial_deviations(request.trial);
    deviations.emplace_back("a Multiple Loss Ratio Search, not 20 binary searches");
    result.caveats = caveats_of(static_cast<const SeriesRequest &>(request), std::move(deviations));
    add_made_again(result.caveats, result, result.end == TrialsEnd::invalid_trial);
}

} // namespace

LossSearchResult run_loss_search(const SearchRequest &request, const LossPlan &plan,
                                 Journal &journal, const TrialRunner &run)
{
    const SearchRange &range = request.search.range;
    LossRatioSearch search(range.min, range.max, goals_of(request, plan));
    LossSearchResult result;
    const auto next = [&]() -> std::optional<SearchTurn> {
        const std::optional<LossTurn> turn = search.next();
        if (!turn)
            return std::nullopt;
        return SearchTurn{.trial = static_cast<unsigned>(result.steps.size()) + 1,
                          .rate = turn->load,
                          .duration = turn->duration};
    };
    const auto feed = [&](const SearchTrial &trial, const Journal::Json & /*whole*/) {
        if (trial.verdict == Verdict::invalid)
            return;
        const LossTurn turn = search.next().value();
        result.steps.push_back({trial.rate, turn.duration, trial.sent, trial.valid,
                                static_cast<unsigned>(turn.goal) + 1});
        const auto lost = static_cast<double>(trial.sent - trial.valid);
        search.feed({trial.rate, turn.duration, lost / static_cast<double>(trial.sent)});
    };
    JournalledTrials trials(journal,
                            {.next = next,
                             .feed = feed,
                             .left =
                                 [&] {
                                     const LossOutlook outlook = search.outlook();
                                     return TrialsLeft{outlook.trials, outlook.time, true};
                                 }},
                            "search", request.search.invalid_retries);
    trials.replay();
    result.end = trials.run(run);
    static_cast<TrialLog &>(result) = trials.log();
    result.min_rate = range.min;
    result.max_rate = range.max;
    result.exceed_percent = plan.exceed_percent;
    result.width_percent = plan.width_percent;
    result.first_duration = plan.first_duration;
    result.duration = request.trial.duration;
    result.duration_sum = plan.duration_sum;
    for (std::size_t i = 0; i < plan.loss_percents.size(); i++) {
        const GoalResult goal = search.result(i);
        result.goals.push_back({plan.loss_percents[i], goal.bounds.lower, goal.bounds.upper,
                                goal.conditional_throughput});
    }
    return result;
}

LossSearchResult make_loss_search(const SearchRequest &request, const LossPlan &plan,
                                  Journal &journal, const std::atomic<bool> &stop)
{
    LossSearchResult known;
    describe(known, request);
    SearchProgress progress(1, request.trial.duration, trial_time(request),
                            caveats_text(known.caveats), {}, {.outcome = outcome_text});
    LossSearchResult result =
        run_loss_search(request, plan, journal, shown_trials(request, progress, stop));
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

} // namespace dnsgauge
