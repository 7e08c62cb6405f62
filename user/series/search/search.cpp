// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/search.h"

#include "record/trial_fields.h"
#include "result/labels.h"
#include "result/series_result.h"
#include "series/columns.h"
#include "series/tester_setup.h"
#include "stats/summary.h"
#include "system/counted.h"
#include "system/setup_error.h"
#include "text/statistics_table.h"
#include "trial/compliance.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

// Returns the highest rate of the range when the search began; it may have been raised since.
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
        {"resolution", OptionGroup::rates, "QPS",
         "Resolution: the result is at most this far below a rate that failed",
         rate(plan.range.resolution)},
        {"repeat", OptionGroup::rates, "COUNT", "Number of whole searches; RFC 8219 demands 20",
         whole(plan.repeat, 1, 10000)},
        Option("near", OptionGroup::rates, "PERCENT",
               "Begin each search but the first within this much of the first one's result: saves "
               "trials, and is not compliant with RFC 8219",
               number(plan.near_percent, 0, 50), {.usual = "in the middle of the range"}),
        confirm_option(plan.confirm),
        invalid_retries_option(plan.invalid_retries),
    };
}

constexpr unsigned searches_least = 20;

// A failed trial that may have capped a search.
struct CappingTrial {
    std::uint64_t trial = 0; // from 1
    Rate rate{};
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    unsigned passed_behind_it = 0;
};

std::optional<CappingTrial> capping_trial(const Repetition &repetition)
{
    if (!repetition.cap)
        return {};
    const TrialSummary &trial = repetition.trials.at(repetition.cap->trial);
    return CappingTrial{repetition.cap->trial + 1, trial.rate, trial.sent, trial.valid,
                        repetition.cap->passed_behind_it};
}

std::optional<double> figure(double value)
{
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::string cap_text(const Repetition &repetition)
{
    if (!repetition.cap)
        return {};
    const TrialSummary &trial = repetition.trials.at(repetition.cap->trial);
    return fmt::format("capped by trial {}: {} of {} missing at {} queries/s, then {} passed",
                       repetition.cap->trial + 1, trial.sent - trial.valid, trial.sent,
                       trial.rate.per_second, counted(repetition.cap->passed_behind_it, "step"));
}

// Returns "20000..30000", or the bound that is known; an empty text if none is.
std::string bound_text(const Repetition &repetition)
{
    if (repetition.at_least)
        return fmt::format(">= {}", repetition.at_least->per_second);
    if (repetition.passed && repetition.failed)
        return fmt::format("{}..{}", repetition.passed->per_second, repetition.failed->per_second);
    if (repetition.passed)
        return fmt::format(">= {}", repetition.passed->per_second);
    return repetition.failed ? fmt::format("< {}", repetition.failed->per_second) : std::string();
}

// Returns what a search that was cut short had found.
std::string cut_short_text(const Repetition &repetition, std::size_t number)
{
    const auto rate = [](const std::optional<Rate> &one, const char *what) {
        return one ? fmt::format("{} queries/s {}", one->per_second, what)
                   : fmt::format("no rate {} yet", what);
    };
    return fmt::format("search {} was cut short: {}, {}", number, rate(repetition.passed, "passed"),
                       rate(repetition.failed, "failed"));
}

std::string statistics_text(const SearchResult &result)
{
    StatisticsColumn column = column_of(result, {result.server});
    column.notes = search_notes(result);
    column.caveats.capped = 0; // the rows above show which searches are capped
    if (result.caveats.is_tester_limited())
        column.notes.push_back(result.caveats.tester_limit);
    return render(statistics_table("Highest rate", {"Server"}, {&column, 1}), TableForm::text);
}

// Throws SetupError if the search ended because even the lowest rate of its range failed.
void refuse_wrong_range(const SearchResult &result)
{
    if (result.end != TrialsEnd::below_range)
        return;
    throw SetupError("even --min-rate {0} fails (search {1}, {2}): lower it, or see what is wrong "
                     "with the server (dnsgauge trial --rate {0})",
                     result.min_rate.per_second, result.repetitions.size(),
                     result.repetitions.back().trials.back().why);
}

} // namespace

Option confirm_option(unsigned &confirm)
{
    return {"confirm", OptionGroup::rates, "COUNT",
            "Times to try a failed trial again before it counts; more than 0 is not "
            "compliant with RFC 8219",
            whole(confirm, 0, 100)};
}

Options options_of(SearchRequest &request)
{
    SearchPlan &plan = request.search;
    return together({range_options(plan.range.min, plan.range.max, false), plan_options(plan),
                     series_options(request)});
}

void complete(SearchRequest &request, bool starts_anew)
{
    const SearchRange &range = request.search.range;
    check_range(range.min, range.max);
    complete(request, range.min, range.max, Repetitions::most_trials(request.search), starts_anew);
}

SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew)
{
    SearchRequest request;
    read_options(options_of(request), given);
    complete(request, starts_anew);
    return request;
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
    if (const std::optional<Rate> bound = result.at_least(); bound && has_run) {
        Json record = {{"record", "result"}, {"at_least", bound->per_second}};
        if (const std::optional<Rate> limit = result.not_offered())
            record["not_offered"] = limit->per_second;
        journal.append(record);
    }
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
    SearchProgress progress(request.trial.duration, trial_time(request),
                            caveats_text(caveats_of(request)), {.repeat = request.search.repeat},
                            surroundings.beyond);
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
    add_findings(result);
}

static void fields(Fields &row, CappingTrial &capped)
{
    row("trial", capped.trial,
        "the failed trial's place among the trials of the repetition, from 1", {.least = 1});
    row.made("rate", capped.rate, "the rate of that trial, queries per second");
    row("sent", capped.sent, "queries of that trial that the kernel has sent");
    row("valid", capped.valid, "queries of that trial that were answered right and in time");
    row("passed_behind_it", capped.passed_behind_it,
        "the number of steps after that trial, all of which passed", {.least = 1});
}

static void fields(Fields &row, Repetition &repetition)
{
    row.made("rate", repetition.rate,
             "the result, queries per second; null: the search is not finished, or has at_least");
    row.made("at_least", repetition.at_least,
             "the highest rate of the range, which passed, or with not_offered the highest rate "
             "that passed; null: a higher rate failed, or the search is not finished");
    row.made("not_offered", repetition.not_offered,
             "the lowest rate that the Tester could not offer, queries per second; a missing value "
             "means that it could offer all rates that were tried",
             sometimes);
    row.made("highest_passed", repetition.passed,
             "the highest rate that passed, queries per second: with lowest_failed it bounds the "
             "result of a search that was cut short; null: none passed");
    row.made("lowest_failed", repetition.failed,
             "the lowest rate that failed for good, queries per second; null: none failed");
    std::optional<CappingTrial> capped = capping_trial(repetition);
    row.object("capped", capped,
               "the failed trial right above the result, where at least six later steps all "
               "passed: chance does that once in 64 searches. null: no trial is suspicious");
}

static void fields(Fields &row, Summary &summary)
{
    row("count", summary.count, "the number of rates");
    row.made("median", figure(summary.median),
             "the median; of an even number of rates the mean of the two central ones");
    row.made("p1", figure(summary.p1), "the 1st percentile, RFC 2330 section 11.3");
    row.made("p99", figure(summary.p99), "the 99th percentile, RFC 2330 section 11.3");
    row.made("mean", figure(summary.mean), "the arithmetic mean");
    row.made("stddev", figure(summary.stddev), "the standard deviation of the sample");
    row.made("moe_99_9", figure(summary.moe_999), "the margin of error of the mean at 99.9 %");
    row.made("mad", figure(summary.mad), "1.4826 times the median distance from the median");
    row.made("dispersion_percent", figure(summary.dispersion),
             "p99 less p1, percent of the median");
}

void fields(Fields &row, SearchResult &result)
{
    begin_rows(row, "search", "the search for the highest rate", result);
    range_rows(row, result.min_rate, result.max_rate);
    row("resolution", result.resolution,
        "a result is at most this far below a rate that failed, queries per second", {.least = 1});
    row("repeat", result.repeat,
        "whole searches that were asked for; in a sweep how often every rate was to be tried");
    row("confirm", result.confirm, "times that a failed trial is tried again before it counts");
    row.object("dns64", result.dns64, "");
    common_rows(row, result);
    row.made("tester_limit", result.caveats.tester_limit,
             "how the search met the Tester's limit before it met the server's limit: the Tester "
             "could not offer more than what passed (not_offered), a rate above the rate that the "
             "self-test allows failed and none below it, or the highest rate that is allowed "
             "passed; null: it did not",
             {.is_null = !result.caveats.is_tester_limited()});
    std::vector<std::uint64_t> rates;
    for (const Repetition &repetition : result.repetitions)
        if (repetition.rate)
            rates.push_back(repetition.rate->per_second);
    row.made("rates", rates,
             "the results: the highest rate that passed in each whole search, queries per second");
    row.made("at_least", result.at_least(),
             "the highest rate of the range, which passed, or with not_offered the highest rate "
             "that passed: the server keeps this rate or more; null: the range was wide enough");
    row.made("not_offered", result.not_offered(),
             "the lowest rate that the Tester could not offer, queries per second: it is the "
             "Tester's limit, and at_least is no capacity of the server; a missing value means "
             "that the Tester was not the limit",
             sometimes);
    Summary summary = summarize(result.rates());
    row.object("statistics", summary,
               "statistics of rates, queries per second; a figure that is not defined is null");
    row.list("repetitions", result.repetitions,
             "the searches in their order; the last one may be unfinished");
    end_rows(row, result, trial_columns());
}

ExitStatus status_of(const SearchRequest &request, const SearchResult &result)
{
    refuse_wrong_range(result);
    if (const std::string more = how_to_find_more(result, request.cover.beyond); !more.empty())
        say("dnsgauge: {}\n", more);
    return status_of(static_cast<const SeriesRequest &>(request), result);
}

std::string how_to_find_more(const SearchResult &result, bool goes_beyond)
{
    if (!result.at_least())
        return {};
    if (const std::optional<Rate> limit = result.not_offered())
        return tester_limit(*result.at_least(), *limit) +
               ": give the Tester more CPUs (--cpus), or take several Testers (dnsgauge-mpi)";
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

std::string bound_text(const SearchResult &result)
{
    if (result.repetitions.empty() || result.repetitions.back().rate)
        return {};
    return bound_text(result.repetitions.back());
}

StatisticsColumn column_of(const SearchResult &result, std::vector<std::string> settings)
{
    return {.settings = std::move(settings),
            .rates = summarize(result.rates()),
            .accept_percent = result.accept_percent,
            .caveats = result.caveats,
            .bound = bound_text(result)};
}

std::vector<std::string> search_notes(const SearchResult &result)
{
    std::vector<std::string> notes;
    if (result.at_least() && !result.not_offered())
        notes.push_back(fmt::format("all of the range passed: {} queries/s or more",
                                    result.at_least()->per_second));
    if (const Repetition *search = result.cut_short())
        notes.push_back(cut_short_text(*search, result.repetitions.size()));
    if (result.invalid_trials != 0)
        notes.push_back(invalid_trials_text(result));
    return notes;
}

std::string to_text(const SearchResult &result)
{
    std::string text = fmt::format(
        "highest rate from {} to {} queries/s to within {} at which {:.9g} % are answered right in "
        "time: {} of {}\n",
        result.min_rate.per_second, result.max_rate.per_second, result.resolution,
        result.accept_percent, result.rates().size(), counted(result.repeat, "search", "searches"));
    if (result.dns64)
        text += fmt::format(
            "  DNS64: {} % of the names with AAAA records, {} % of the queries cached\n",
            result.dns64->aaaa_share, result.dns64->cached_share);
    for (const std::string &note : series_notes(result, false))
        text += fmt::format("  {}\n", note);
    if (result.rates().empty() && !result.at_least())
        for (const std::string &note : search_notes(result))
            text += fmt::format("  {}\n", note);
    text += fmt::format("  {:>6} {:>11} {:>7}\n", "search", "queries/s", "trials");
    for (std::size_t i = 0; i < result.repetitions.size(); i++) {
        const Repetition &repetition = result.repetitions[i];
        std::string rate = repetition.rate ? fmt::format("{}", repetition.rate->per_second)
                                           : bound_text(repetition);
        std::string line =
            fmt::format("  {:>6} {:>11} {:>7}   {}", i + 1, rate.empty() ? "-" : rate,
                        repetition.trials.size(), cap_text(repetition));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    if (result.capped() != 0)
        text += "  capped: perhaps by one unlucky trial; --confirm 1 would have tried it again\n";
    if (!result.rates().empty() || result.at_least())
        text += "\n" + statistics_text(result);
    return text;
}

} // namespace dnsgauge
