// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search_run.h"

#include "common/setup_error.h"
#include "result/labels.h"
#include "result/tester_limit.h"
#include "search/search_progress.h"
#include "text/selftest_text.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

// What is to be said of every result.
std::string label_of(const SearchRequest &request)
{
    std::string label = compliance_label(rfc8219_deviations(request));
    if (!request.selftest || request.selftest->covers())
        return label;
    return (label.empty() ? "" : label + "; ") + cover_text(*request.selftest);
}

} // namespace

SearchResult make_search(const SearchRequest &request, Journal &journal,
                         const SearchSurroundings &surroundings, const std::atomic<bool> &stop)
{
    SearchProgress progress(request.search.repeat, request.trial.duration, trial_time(request),
                            label_of(request), surroundings.beyond);
    BetweenTrials between = request.between;
    between.pauses_first = surroundings.follows_trials;
    TrialSeries series(
        request.trial, between, stop, [&](const TrialProgress &now) { progress.trial_runs(now); },
        [&](const Circumstances &trial) {
            if (request.selftest)
                check_same_modes(*request.selftest, trial);
        });
    SearchResult result = run_search(
        request.search, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            progress.trial_begins(place);
            if (!surroundings.before_trial(series))
                return std::nullopt;
            std::optional<TrialResult> trial = series.run(place.turn.rate, place.begun);
            progress.trial_ends(trial);
            return trial;
        });
    if (stop && result.end == SearchEnd::invalid_trial)
        result.end = SearchEnd::interrupted;
    describe(result, request);
    result.journal = journal.path();
    return result;
}

void describe(SearchResult &result, const SearchRequest &request)
{
    result.server = to_string(request.trial.server);
    result.accept_percent = request.trial.accept_percent;
    result.dns64 = dns64_conditions(request.trial);
    result.deviations = rfc8219_deviations(request);
    result.selftest = request.selftest;
    result.certificate = request.certificate;
}

void refuse_wrong_range(const SearchResult &result)
{
    if (result.end != SearchEnd::below_range && result.end != SearchEnd::above_range)
        return;
    const std::string what = fmt::format("search {}, {}", result.repetitions.size(),
                                         result.repetitions.back().trials.back().why);
    if (result.end == SearchEnd::below_range)
        throw SetupError(fmt::format("even --min-rate {} fails ({}): lower it, or see what is "
                                     "wrong with the server (dnsgauge trial --rate {})",
                                     result.min_rate.per_second, what, result.min_rate.per_second));
    throw SetupError(fmt::format("even --max-rate {} passes ({}): {}raise it and begin anew",
                                 result.max_rate.per_second, what,
                                 tester_limit(result).empty()
                                     ? ""
                                     : "it is all that the Tester's self-test allows: make one for "
                                       "more (dnsgauge selftest), or give --beyond-selftest; "));
}

} // namespace dnsgauge
