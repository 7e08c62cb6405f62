// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/search.h"

#include "options/option_error.h"
#include "record/json_text.h"
#include "result/labels.h"
#include "result/tester_limit.h"
#include "series/tester_setup.h"
#include "text/selftest_text.h"
#include "trial/compliance.h"
#include "units/quantity_access.h"
#include "userland/counted.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

// The highest rate that the search began with, which may have been raised since.
Rate max_at_first(const Journal &journal, const SearchPlan &plan)
{
    const Json options = journal.header().value("options", Json::object());
    const Json max = options.is_object() ? options.value("max-rate", Json()) : Json();
    return max.is_number_unsigned() ? Rate{max.get<std::uint64_t>()} : plan.range.max;
}

SearchPlan with_max(SearchPlan plan, Rate max)
{
    plan.range.max = max;
    return plan;
}

class Search : private Strategy
{
public:
    Search(const SearchPlan &plan, Journal &journal)
        : max_(plan.range.max), begun_max_(max_at_first(journal, plan)),
          repetitions_(with_max(plan, begun_max_)), journal_(journal),
          trials_(journal, *this, "search", plan.invalid_retries)
    {
        result_.min_rate = plan.range.min;
        result_.max_rate = plan.range.max;
        result_.resolution = plan.range.resolution;
        result_.repeat = plan.repeat;
        result_.confirm = plan.confirm;
    }
    // Its trials refer to this object.
    Search(const Search &) = delete;
    Search &operator=(const Search &) = delete;

    void replay();
    void run(const TrialRunner &run);
    [[nodiscard]] RecalledSearch recall();
    [[nodiscard]] SearchResult result();

private:
    [[nodiscard]] std::optional<SearchTurn> next() const override { return repetitions_.next(); }
    void feed(const TrialSummary &trial) override { repetitions_.feed(trial); }
    [[nodiscard]] TrialsLeft left() const override { return {repetitions_.trials_left()}; }
    [[nodiscard]] bool tells_all() const override { return false; }
    bool take(const std::string &kind, const Json &record) override;
    void check_range();

    Rate max_;       // of the range, as the request has it now
    Rate begun_max_; // of the range, as the journal has it so far
    Repetitions repetitions_;
    Journal &journal_;
    JournalledTrials trials_;
    bool is_raised_ = false; // the journal does not say so yet
    SearchResult result_;
};

void Search::replay()
{
    trials_.replay();
    check_range();
}

// A search that has passed all of its range may go on with a higher one.
void Search::check_range()
{
    if (begun_max_ == max_)
        return;
    if (begun_max_ > max_ || repetitions_.state() != Bisection::State::above_range)
        journal_.refuse(1, fmt::format("it is of another search: max-rate was {}, now it is {}",
                                       begun_max_.per_second, max_.per_second));
    repetitions_.raise(max_);
    is_raised_ = true;
}

bool Search::take(const std::string &kind, const Json &record)
{
    if (kind != "range")
        return kind == "result";
    const Rate max{whole_number(record.at("max_rate"))};
    if (repetitions_.state() != Bisection::State::above_range || max <= begun_max_)
        throw std::invalid_argument("a higher range where the search has not passed its own");
    repetitions_.raise(max);
    begun_max_ = max;
    return true;
}

void Search::run(const TrialRunner &run)
{
    const std::uint64_t before = trials_.log().trials;
    const TrialsEnd end = trials_.run(run, [this] {
        if (std::exchange(is_raised_, false))
            journal_.append({{"record", "range"}, {"max_rate", max_.per_second}});
    });
    switch (end) {
    case TrialsEnd::interrupted:
        result_.end = SearchEnd::interrupted;
        return;
    case TrialsEnd::invalid_trial:
        result_.end = SearchEnd::invalid_trial;
        return;
    case TrialsEnd::complete:
        break;
    }
    result_.end = end_of(repetitions_.state());
    if (result_.end == SearchEnd::above_range && trials_.log().trials > before)
        journal_.append({{"record", "result"}, {"at_least", max_.per_second}});
}

RecalledSearch Search::recall()
{
    const std::uint64_t left = repetitions_.trials_left();
    result_.end = left != 0 ? SearchEnd::interrupted : end_of(repetitions_.state());
    return {result(), left};
}

SearchResult Search::result()
{
    static_cast<TrialLog &>(result_) = trials_.log();
    result_.repetitions = repetitions_.all();
    return std::move(result_);
}

Options rate_options(SearchPlan &plan)
{
    return {
        {.name = "min-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Lowest rate, queries per second",
         .access = rate(plan.range.min)},
        {.name = "max-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Highest rate, queries per second",
         .access = rate(plan.range.max),
         .is_required = true},
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
    Options options = rate_options(request.search);
    append(options, series_options(request));
    return options;
}

void complete(SearchRequest &request, bool starts_anew)
{
    const SearchRange &range = request.search.range;
    if (range.min >= range.max)
        throw OptionError({"min-rate", "max-rate"},
                          fmt::format("--min-rate {} must be below --max-rate {}",
                                      range.min.per_second, range.max.per_second));
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

SearchEnd end_of(Bisection::State state)
{
    switch (state) {
    case Bisection::State::below_range:
        return SearchEnd::below_range;
    case Bisection::State::above_range:
        return SearchEnd::above_range;
    case Bisection::State::open:
    case Bisection::State::found:
        break;
    }
    return SearchEnd::complete;
}

SearchResult run_search(const SearchPlan &plan, Journal &journal, const TrialRunner &run)
{
    Search search(plan, journal);
    search.replay();
    search.run(run);
    return search.result();
}

RecalledSearch recall_search(const SearchPlan &plan, Journal &journal)
{
    Search search(plan, journal);
    search.replay();
    return search.recall();
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
    if (stop && result.end == SearchEnd::invalid_trial)
        result.end = SearchEnd::interrupted;
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
