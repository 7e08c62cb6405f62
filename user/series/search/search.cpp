// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/search.h"

#include "record/json.h"
#include "record/json_text.h"
#include "record/series_json.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "result/tester_limit.h"
#include "series/columns.h"
#include "series/tester_setup.h"
#include "stats/summary.h"
#include "trial/compliance.h"
#include "units/quantity_access.h"
#include "userland/counted.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

// The highest rate that the search began with, which may have been raised since.
std::optional<Rate> max_at_first(const Journal &journal)
{
    const Json options = journal.header().value("options", Json::object());
    const Json max = options.is_object() ? options.value("max-rate", Json()) : Json();
    return max.is_number_unsigned() ? std::optional(Rate{max.get<std::uint64_t>()}) : std::nullopt;
}

SearchResult result_of(const SearchPlan &plan, SeriesResult series, const Repetitions &searches)
{
    SearchResult result{std::move(series),
                        plan.range.min,
                        plan.range.max,
                        plan.range.resolution,
                        plan.repeat,
                        plan.confirm,
                        {},
                        searches.all()};
    leave_valid(result);
    return result;
}

Options plan_options(SearchPlan &plan)
{
    return {
        {.name = "resolution",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "The result is at most this far below a rate that failed",
         .access = rate(plan.range.resolution)},
        {.name = "repeat",
         .group = OptionGroup::rates,
         .type = "COUNT",
         .help = "Number of whole searches; RFC 8219 demands 20",
         .access = whole(plan.repeat, 1, 10000)},
        {.name = "near",
         .group = OptionGroup::rates,
         .type = "PERCENT",
         .help =
             "Begin each search but the first within this much of the first one's result: saves "
             "trials, and is not compliant with RFC 8219",
         .access = number(plan.near_percent, 0, 50),
         .usual = "in the middle of the range"},
        confirm_option(plan.confirm),
        invalid_retries_option(plan.invalid_retries),
    };
}

constexpr unsigned searches_least = 20;

Json cap_json(const Repetition &repetition)
{
    if (!repetition.cap)
        return {};
    const TrialSummary &trial = repetition.trials.at(repetition.cap->trial);
    return {{"trial", repetition.cap->trial + 1},
            {"rate", trial.rate.per_second},
            {"sent", trial.sent},
            {"valid", trial.valid},
            {"passed_behind_it", repetition.cap->passed_behind_it}};
}

Json repetition_json(const Repetition &repetition)
{
    return {{"rate", rate_json(repetition.rate)},
            {"at_least", rate_json(repetition.at_least)},
            {"highest_passed", rate_json(repetition.passed)},
            {"lowest_failed", rate_json(repetition.failed)},
            {"capped", cap_json(repetition)}};
}

// A figure that is not defined (NaN) becomes null.
Json statistics_json(const Summary &summary)
{
    return {{"count", summary.count},
            {"median", summary.median},
            {"p1", summary.p1},
            {"p99", summary.p99},
            {"mean", summary.mean},
            {"stddev", summary.stddev},
            {"moe_99_9", summary.moe_999},
            {"mad", summary.mad},
            {"dispersion_percent", summary.dispersion}};
}

} // namespace

SearchRequest usual_request()
{
    SearchRequest request;
    set_defaults(request);
    return request;
}

Option confirm_option(unsigned &confirm)
{
    return {.name = "confirm",
            .group = OptionGroup::rates,
            .type = "COUNT",
            .help = "Times to try a failed trial again before it counts; more than 0 is not "
                    "compliant with RFC 8219",
            .access = whole(confirm, 0, 100)};
}

Options search_options(SearchRequest &request)
{
    SearchPlan &plan = request.search;
    Options options = range_options(plan.range.min, plan.range.max, false);
    append(options, plan_options(plan));
    append(options, series_options(request));
    return options;
}

void complete(SearchRequest &request, bool starts_anew)
{
    const SearchRange &range = request.search.range;
    check_range(range.min, range.max);
    complete(request, range.min, range.max, Repetitions::most_trials(request.search), starts_anew);
}

SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew)
{
    SearchRequest request = usual_request();
    read_options(search_options(request), given);
    complete(request, starts_anew);
    return request;
}

nlohmann::ordered_json journal_header(const SearchRequest &request)
{
    return journal_header(request, describe_setup(request.trial));
}

nlohmann::ordered_json journal_header(const SearchRequest &request, const TesterSetup &setup)
{
    SearchRequest values = request;
    return journal_header(request, "search", search_options(values), setup);
}

Caveats caveats_of(const SearchRequest &request)
{
    return caveats_of(request, search_deviations(request.search, request.trial));
}

std::vector<std::string> search_deviations(const SearchPlan &search, const TrialPlan &trial)
{
    std::vector<std::string> found = trial_deviations(trial);
    if (search.repeat < searches_least)
        found.push_back(fmt::format("{}, not {}", counted(search.repeat, "search", "searches"),
                                    searches_least));
    if (search.confirm > 0)
        found.push_back(fmt::format("a failed trial was tried again, up to {}",
                                    counted(search.confirm, "time")));
    if (search.near_percent > 0 && search.repeat > 1)
        found.push_back(fmt::format("searches began within {:g} % of the first one's result",
                                    search.near_percent));
    if (search.invalid_retries > SearchPlan{}.invalid_retries)
        found.push_back(fmt::format("an invalid trial was made again, up to {}",
                                    counted(search.invalid_retries, "time")));
    return found;
}

SearchResult run_search(const SearchPlan &plan, Journal &journal, const TrialRunner &run)
{
    Repetitions searches(plan, max_at_first(journal));
    bool has_run = false;
    const TrialRunner noted = [&](const SearchPlace &place) {
        has_run = true;
        return run(place);
    };
    SearchResult result = result_of(
        plan, run_series(searches, journal, noted, "search", plan.invalid_retries), searches);
    if (result.end == TrialsEnd::above_range && has_run)
        journal.append({{"record", "result"}, {"at_least", plan.range.max.per_second}});
    return result;
}

RecalledSearch recall_search(const SearchPlan &plan, Journal &journal)
{
    Repetitions searches(plan, max_at_first(journal));
    SeriesResult series = recall_series(searches, journal, "search", plan.invalid_retries);
    return {result_of(plan, std::move(series), searches), searches.trials_left()};
}

SearchResult make_search(const SearchRequest &request, Journal &journal,
                         const SearchSurroundings &surroundings, const std::atomic<bool> &stop)
{
    SearchProgress progress(request.search.repeat, request.trial.duration, trial_time(request),
                            caveats_text(caveats_of(request)), surroundings.beyond);
    SearchResult result =
        run_search(request.search, journal,
                   shown_trials(request, progress, stop, surroundings.before_trial,
                                surroundings.follows_trials));
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

SearchResult make_series(const SearchRequest &request, Journal &journal,
                         const std::atomic<bool> &stop)
{
    SearchResult result = make_search(request, journal, {}, stop);
    if (result.rates().empty())
        refuse_wrong_range(result);
    return result;
}

void describe(SearchResult &result, const SearchRequest &request)
{
    describe(result, request, caveats_of(request));
    result.dns64 = dns64_conditions(request.trial);
    add_made_again(result.caveats, result, result.end == TrialsEnd::invalid_trial);
    add_findings(result);
}

Json to_json(const SearchResult &result, const Json &header)
{
    Json rates = Json::array();
    Json repetitions = Json::array();
    for (const Repetition &repetition : result.repetitions) {
        if (repetition.rate)
            rates.push_back(repetition.rate->per_second);
        repetitions.push_back(repetition_json(repetition));
    }
    return series_json(
        "search", result, header,
        {{"min_rate", result.min_rate.per_second},
         {"max_rate", result.max_rate.per_second},
         {"resolution", result.resolution},
         {"repeat", result.repeat},
         {"confirm", result.confirm},
         {"dns64", written(result.dns64)}},
        {{"tester_limit",
          result.caveats.is_tester_limited() ? Json(result.caveats.tester_limit) : Json()},
         {"rates", rates},
         {"at_least", rate_json(result.at_least())},
         {"statistics", statistics_json(summarize(result.rates()))},
         {"repetitions", repetitions}},
        rows_json(result.rows, trial_columns()));
}

void refuse_wrong_range(const SearchResult &result)
{
    if (result.end != TrialsEnd::below_range)
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
