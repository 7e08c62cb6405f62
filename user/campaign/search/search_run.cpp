// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search_run.h"

#include "result/labels.h"
#include "result/tester_limit.h"
#include "search/search_progress.h"
#include "text/selftest_text.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

namespace dnsgauge
{

SearchResult make_search(const SearchRequest &request, Journal &journal,
                         const SearchSurroundings &surroundings, const std::atomic<bool> &stop)
{
    SearchProgress progress(request.search.repeat, request.trial.duration, trial_time(request),
                            caveats_text(caveats_of(request)), surroundings.beyond);
    SearchResult result =
        run_search(request.search, journal,
                   shown_trials(request, progress, stop, surroundings.before_trial,
                                surroundings.follows_trials));
    if (stop && result.end == SearchEnd::invalid_trial)
        result.end = SearchEnd::interrupted;
    describe(result, request);
    return result;
}

void describe(SearchResult &result, const SearchRequest &request)
{
    result.server = servers_text(result, request.trial);
    result.accept_percent = request.trial.accept_percent;
    result.dns64 = dns64_conditions(request.trial);
    result.caveats = caveats_of(request);
    add_made_again(result.caveats, result, result.end == SearchEnd::invalid_trial);
    add_findings(result);
}

void refuse_wrong_range(const SearchResult &result)
{
    if (result.end != SearchEnd::below_range)
        return;
    const std::string what = fmt::format("search {}, {}", result.repetitions.size(),
                                         result.repetitions.back().trials.back().why);
    throw SetupError(fmt::format("even --min-rate {} fails ({}): lower it, or see what is "
                                 "wrong with the server (dnsgauge trial --rate {})",
                                 result.min_rate.per_second, what, result.min_rate.per_second));
}

std::string how_to_find_more(const SearchResult &result, bool goes_beyond)
{
    if (!result.at_least())
        return {};
    const std::optional<SelftestCover> &cover = result.caveats.selftest;
    const bool is_all_allowed =
        cover && cover->covers() && cover->allowed && *result.at_least() >= *cover->allowed;
    std::string selftest;
    if (is_all_allowed && goes_beyond)
        selftest = fmt::format("the Tester's self-test allows {} queries/s, and results above are "
                               "marked: ",
                               cover->allowed->per_second);
    else if (is_all_allowed)
        selftest = fmt::format("the Tester's self-test allows {} queries/s: make one for more "
                               "(dnsgauge selftest), or give --beyond-selftest, and ",
                               cover->allowed->per_second);
    return fmt::format("the server keeps {} queries/s or more: {}go on with a higher --max-rate "
                       "(--resume)",
                       result.at_least()->per_second, selftest);
}

} // namespace dnsgauge
