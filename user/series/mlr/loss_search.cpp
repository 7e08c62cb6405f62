// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/mlr/loss_search.h"

#include "options/option_error.h"
#include "series/columns.h"
#include "series/mlr/loss_ratio_search.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "trial/compliance.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr double percent_most = 99.999;
constexpr double exceed_most = 99;
constexpr double width_least = 0.001;

// Reads percentages with commas between them, each higher than the previous one.
OptionAccess percentages(std::vector<double> &values)
{
    return {.set =
                [&values](const std::string &text, const std::string &name) {
                    std::vector<double> read;
                    for (const std::string_view word : split(text))
                        number(read.emplace_back(), 0, percent_most).set(std::string(word), name);
                    if (std::ranges::adjacent_find(read, std::ranges::greater_equal()) !=
                        read.end())
                        throw SetupError("{} {}: each ratio must be higher than the one before",
                                         name, text);
                    values = read;
                },
            .get = [&values]() -> OptionValue {
                return joined(
                    values, [](double percent) { return fmt::format("{}", percent); }, ",");
            }};
}

void refuse_classic(const char *option, bool is_given)
{
    if (is_given)
        throw OptionError({option, "method"}, "--{} belongs to --method binary: leave it out",
                          option);
}

// Returns the goals of the search, in the order of LossPlan::loss_percents.
std::vector<LossGoal> goals_of(const LossSearchRequest &request)
{
    const LossPlan &plan = request.loss;
    std::vector<LossGoal> goals;
    for (const double percent : plan.loss_percents)
        goals.push_back({.loss_ratio = percent / 100,
                         .exceed_ratio = plan.exceed_percent / 100,
                         .width = plan.width_percent / 100,
                         .initial_duration = plan.first_duration,
                         .final_duration = request.trial.duration,
                         .duration_sum = plan.duration_sum});
    return goals;
}

// Makes the trials that the goals ask for.
class LossTrials : public Strategy
{
public:
    explicit LossTrials(const LossSearchRequest &request)
        : tries_(request.search.range.min, request.search.invalid_retries),
          search_(request.search.range.min, request.search.range.max, goals_of(request))
    {
    }

    [[nodiscard]] std::optional<SearchTurn> next() const override
    {
        const std::optional<LossTurn> turn = search_.next();
        if (!turn)
            return std::nullopt;
        return SearchTurn{.trial = made_ + 1, .rate = turn->load, .duration = turn->duration};
    }
    void read(TrialSummary &trial, const Json & /*whole*/) override
    {
        trial.goal = static_cast<unsigned>(search_.next().value().goal) + 1;
    }
    void feed(const TrialSummary &trial) override
    {
        if (trial.verdict == Verdict::invalid) {
            if (!tries_.is_enough(trial))
                return;
            tries_.reset();
            search_.feed_not_offered();
            return;
        }
        tries_.reset();
        made_++;
        const auto lost = static_cast<double>(trial.sent - trial.valid);
        search_.feed({trial.rate, trial.duration, lost / static_cast<double>(trial.sent)});
    }
    [[nodiscard]] TrialsLeft left() const override
    {
        const LossOutlook outlook = search_.outlook();
        return {outlook.trials, outlook.time, true};
    }

    void conclude(LossSearchResult &result) const
    {
        for (std::size_t i = 0; i < result.plan.loss_percents.size(); i++) {
            GoalResult goal = search_.result(i);
            if (goal.bounds.upper && goal.bounds.upper == search_.not_offered()) {
                goal.bounds.upper.reset();
                result.not_offered = search_.not_offered();
            }
            result.goals.push_back({result.plan.loss_percents[i], goal.bounds.lower,
                                    goal.bounds.upper, goal.conditional_throughput});
        }
    }

private:
    OfferTries tries_;
    LossRatioSearch search_;
    unsigned made_ = 0; // trials that were not invalid
};

// Returns the columns of what was found for each loss ratio.
Columns<Json> goal_columns(const LossSearchResult &result)
{
    const auto shown = [](const char *pointer, const char *head, Column<Json>::Text text) {
        Column<Json> column = field(pointer, head);
        column.text = std::move(text);
        return column;
    };
    // In a finished search a missing bound is beyond the range.
    const auto bound = [&result](const std::string &side, Rate end) {
        std::string beyond = "-";
        if (result.end == TrialsEnd::complete)
            beyond = side == ">" && result.not_offered ? "Tester's limit"
                                                       : fmt::format("{} {}", side, end.per_second);
        return [beyond](const Json &rate) { return rate.is_null() ? beyond : rate.dump(); };
    };
    return {shown("/loss_percent", "lost at most",
                  [](const Json &loss) { return fmt::format("{:g} %", loss.get<double>()); }),
            shown("/lower_bound", "lower bound", bound("<", result.min_rate)),
            shown("/upper_bound", "upper bound", bound(">", result.max_rate)),
            shown("/conditional_throughput", "answers/s", [](const Json &rate) {
                return rate.is_null() ? "-" : fmt::format("{:.0f}", rate.get<double>());
            })};
}

std::string caption_of(const LossSearchResult &result)
{
    double time = 0;
    for (const TrialSummary &row : result.rows)
        time += seconds(row.duration);
    const double shortest = seconds(result.plan.first_duration);
    const double longest = seconds(result.duration);
    const std::string durations = shortest == longest
                                      ? fmt::format("{:g} s", longest)
                                      : fmt::format("{:g} to {:g} s", shortest, longest);
    return fmt::format("Rates of {} by loss ratio (RFC 9971), from {} to {} queries/s: {} of {}, "
                       "{:.0f} s together",
                       result.server, result.min_rate.per_second, result.max_rate.per_second,
                       counted(result.rows.size(), "trial"), durations, time);
}

std::string outcome_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return verdict_text(trial);
    return fmt::format("{} % lost",
                       percent_text(trial.queries.sent - trial.queries.valid, trial.queries.sent));
}

Columns<TrialSummary> columns_with_goal()
{
    return trial_columns(
        {{"goal", "", "the loss ratio that asked for the trial, by its place in goals, from 1",
          value_of<&TrialSummary::goal>}});
}

} // namespace

static Options options_of(LossSearchRequest &request)
{
    LossPlan &plan = request.loss;
    const Options options = {
        {"loss-ratios", OptionGroup::rates, "PERCENT,...",
         "Loss ratios in percent, for each of which --method mlr finds a rate",
         percentages(plan.loss_percents)},
        {"exceed", OptionGroup::rates, "PERCENT",
         "Percent of trial time that may exceed the loss ratio, at a rate that keeps it, with "
         "--method mlr",
         number(plan.exceed_percent, 0, exceed_most)},
        {"width", OptionGroup::rates, "PERCENT",
         "Percent by which the upper bound may be above the lower bound, with --method mlr",
         number(plan.width_percent, width_least, 100)},
        {"first-duration", OptionGroup::rates, "SECONDS",
         "Seconds of the first trials of --method mlr, which only show where to look",
         time(plan.first_duration, duration_most)},
        Option("duration-sum", OptionGroup::rates, "SECONDS",
               "Seconds of trials that decide about a rate, with --method mlr",
               time(plan.duration_sum, duration_most), {.usual = "twice --duration"}),
    };
    return together({options_of(static_cast<SearchRequest &>(request)), options});
}

// Also throws SetupError if an option was given that only the binary search has.
static void complete(LossSearchRequest &request)
{
    LossPlan &plan = request.loss;
    const SearchPlan usual;
    refuse_classic("repeat", request.search.repeat != usual.repeat);
    refuse_classic("near", request.search.near_percent != usual.near_percent);
    refuse_classic("confirm", request.search.confirm != usual.confirm);
    refuse_classic("resolution", request.search.range.resolution != usual.range.resolution);
    refuse_classic("accept", request.trial.accept_percent < 100);
    refuse_classic("fresh-names", request.fresh_names);
    const Nanoseconds duration = request.trial.duration;
    if (plan.duration_sum == Nanoseconds{})
        plan.duration_sum = 2 * duration;
    if (plan.first_duration > duration)
        throw OptionError({"first-duration", "duration"},
                          "--first-duration {:g} is longer than --duration {:g}",
                          seconds(plan.first_duration), seconds(duration));
    if (plan.duration_sum < duration)
        throw OptionError({"duration-sum", "duration"},
                          "--duration-sum {:g} is shorter than --duration {:g}",
                          seconds(plan.duration_sum), seconds(duration));
    complete(request, false);
    if (queries_in(request.search.range.min, plan.first_duration) == 0)
        throw OptionError({"min-rate", "first-duration"},
                          "--min-rate times --first-duration is less than one query: raise one of "
                          "them");
}

LossSearchResult run_series(const LossSearchRequest &request, Journal &journal,
                            const TrialRunner &run)
{
    LossTrials trials(request);
    LossSearchResult result{
        run_series(trials, journal, run, "search", request.search.invalid_retries),
        request.search.range.min,
        request.search.range.max,
        request.loss,
        {},
        {}};
    leave_valid(result);
    trials.conclude(result);
    return result;
}

Caveats caveats_of(const LossSearchRequest &request)
{
    std::vector<std::string> deviations = trial_deviations(request.trial);
    deviations.emplace_back("a Multiple Loss Ratio Search, not 20 binary searches");
    return caveats_of(request, std::move(deviations));
}

ProgressWords words_of(const LossSearchRequest & /*request*/)
{
    return {.outcome = outcome_text};
}

static void fields(Fields &row, LossBounds &goal)
{
    std::optional<double> throughput;
    if (goal.lower)
        throughput = goal.conditional_throughput;
    row("loss_percent", goal.loss_percent,
        "the most that a good trial loses: queries without a valid answer in time", {.most = 100});
    row.made("lower_bound", goal.lower,
             "the highest rate that the server keeps; null: it does not keep even the lowest rate, "
             "or the search is not complete");
    row.made(
        "upper_bound", goal.upper,
        "the lowest rate that the server does not keep; null: it keeps even the highest rate, the "
        "Tester could not offer the next one (not_offered), or the search is not complete");
    row.made("conditional_throughput", throughput,
             "answers per second at the lower bound, in the worst trial that counts; null: there "
             "is no lower bound");
}

void fields(Fields &row, LossSearchResult &result)
{
    begin_rows(row, "loss-search", "the search for several loss ratios (RFC 9971)", result);
    range_rows(row, result.min_rate, result.max_rate);
    row("exceed_percent", result.plan.exceed_percent,
        "percent of trial time that may exceed the loss ratio, at a rate that keeps it",
        {.most = 100});
    row("width_percent", result.plan.width_percent,
        "percent by which the upper bound is at most above the lower bound", {.most = 100});
    row("first_duration_s", result.plan.first_duration,
        "the duration of the first trials, which only show where to look, seconds");
    row("duration_sum_s", result.plan.duration_sum,
        "the duration of all trials together that decide about a rate, seconds");
    common_rows(row, result, {.duration = {}});
    row.list("goals", result.goals, "the loss ratios, ascending", {.least = 1});
    row.made("not_offered", result.not_offered,
             "the lowest rate that the Tester could not offer, queries per second: it is the "
             "Tester's limit, and keeps a loss ratio from its upper bound; a missing value means "
             "that the Tester was not the limit",
             sometimes);
    end_rows(row, result, columns_with_goal(), {"rate", "duration_s", "goal"});
}

std::string to_text(const LossSearchResult &result)
{
    Table table = rows_table<Json>(written(result.goals), goal_columns(result));
    table.caption = caption_of(result);
    table.notes.push_back(fmt::format(
        "a rate is decided by {:g} s of trials of {:g} s; {:g} % of that time may be worse",
        seconds(result.plan.duration_sum), seconds(result.duration), result.plan.exceed_percent));
    if (result.not_offered)
        table.notes.push_back(
            fmt::format("the Tester is the limit at {} queries/s, so the server may keep more than "
                        "a lower bound without an upper one",
                        result.not_offered->per_second));
    std::ranges::copy(series_notes(result), std::back_inserter(table.notes));
    return render(table, TableForm::text);
}

namespace
{

enum class Method { binary, mlr };

constexpr auto methods = words<Method>({{Method::binary, "binary"}, {Method::mlr, "mlr"}});

// What the command is asked for: a search by one of the methods.
struct SearchChoice : LossSearchRequest {
    Method method = Method::binary;
};

Options options_of(SearchChoice &choice)
{
    return together(
        {{{"method", OptionGroup::rates, "METHOD",
           "Method of the search: binary, RFC 8219's search; or mlr, a Multiple Loss Ratio Search "
           "(RFC 9971), which finds a rate for each of several loss ratios",
           word(choice.method, methods)}},
         dnsgauge::options_of(static_cast<LossSearchRequest &>(choice))});
}

ExitStatus run_command(SearchChoice &choice, const SeriesFiles &files, const std::string &name,
                       const std::vector<std::string> &words)
{
    return choice.method == Method::mlr ? run_command<LossSearchRequest>(choice, files, name, words)
                                        : run_command<SearchRequest>(choice, files, name, words);
}

} // namespace

Command search_command(std::shared_ptr<Testers> testers)
{
    return series_command(
        {.name = "search",
         .summary = "Find the highest rate that a server keeps, by binary search, or for several "
                    "loss ratios",
         .examples = {"dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --max-rate 200k --journal search.jsonl",
                      "dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --max-rate 200k --journal search.jsonl --resume",
                      "dnsgauge search --method mlr --interface eth1 --server 192.0.2.53 \\",
                      "    --names 10.0.0.0/8 --max-rate 200k --journal mlr.jsonl"},
         .statuses = {{ExitStatus::criterion_met,
                       "the search is complete, or all rates passed that the range has or that the "
                       "Tester can offer"},
                      {ExitStatus::wrong_input,
                       "the command or the environment is wrong, or the range of rates does not "
                       "hold the rate that was looked for"},
                      {ExitStatus::nothing_learned,
                       "a trial was invalid, or the search was interrupted: go on with --resume"}}},
        SearchChoice{}, std::move(testers));
}

} // namespace dnsgauge
