// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mlr/loss_search_request.h"

#include "options/option_error.h"
#include "search/tester_setup.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace dnsgauge
{

namespace
{

constexpr double percent_most = 99.999;
constexpr double exceed_most = 99;
constexpr double width_least = 0.001;

// Takes percentages between commas, each higher than the one before.
OptionAccess percentages(std::vector<double> &values)
{
    return {
        .set =
            [&values](const std::string &text, const std::string &name) {
                std::vector<double> read;
                std::istringstream words(text + ",");
                for (std::string word; std::getline(words, word, ',');) {
                    double percent = 0;
                    number(percent, 0, percent_most).set(word, name);
                    read.push_back(percent);
                }
                if (std::ranges::adjacent_find(read, std::ranges::greater_equal()) != read.end())
                    throw SetupError(fmt::format(
                        "{} {}: each ratio must be higher than the one before", name, text));
                values = read;
            },
        .get = [&values]() -> OptionValue { return fmt::format("{}", fmt::join(values, ",")); }};
}

void refuse_classic(const char *option, bool is_given)
{
    if (is_given)
        throw OptionError({option, "method"},
                          fmt::format("--{} is of --method binary alone", option));
}

} // namespace

Options loss_options(LossPlan &plan)
{
    return {
        {.name = "loss-ratios",
         .group = OptionGroup::rates,
         .type = "PERCENT,...",
         .help =
             "Of --method mlr: the loss ratios for each of which a rate is looked for, in percent",
         .access = percentages(plan.loss_percents)},
        {.name = "exceed",
         .group = OptionGroup::rates,
         .type = "PERCENT",
         .help =
             "Of --method mlr: the share of trial time at a rate that trials above the loss ratio "
             "may take",
         .access = number(plan.exceed_percent, 0, exceed_most)},
        {.name = "width",
         .group = OptionGroup::rates,
         .type = "PERCENT",
         .help = "Of --method mlr: how far above the lower bound the upper bound may be",
         .access = number(plan.width_percent, width_least, 100)},
        {.name = "first-duration",
         .group = OptionGroup::rates,
         .type = "SECONDS",
         .help = "Of --method mlr: seconds of the first trials, which only show where to look",
         .access = time(plan.first_duration, duration_most)},
        {.name = "duration-sum",
         .group = OptionGroup::rates,
         .type = "SECONDS",
         .help = "Of --method mlr: seconds of trials that decide about a rate",
         .access = time(plan.duration_sum, duration_most),
         .usual = "twice --duration"},
    };
}

void complete(SearchRequest &request, LossPlan &plan)
{
    const SearchPlan usual = usual_request().search;
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
                          fmt::format("--first-duration {:g} is longer than --duration {:g}",
                                      seconds(plan.first_duration), seconds(duration)));
    if (plan.duration_sum < duration)
        throw OptionError({"duration-sum", "duration"},
                          fmt::format("--duration-sum {:g} is shorter than --duration {:g}",
                                      seconds(plan.duration_sum), seconds(duration)));
    complete(request, false);
    if (queries_in(request.search.range.min, plan.first_duration) == 0)
        throw OptionError({"min-rate", "first-duration"},
                          "--min-rate times --first-duration is less than one query: raise one of "
                          "them");
}

std::vector<LossGoal> goals_of(const SearchRequest &request, const LossPlan &plan)
{
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

nlohmann::ordered_json journal_header(const SearchRequest &request, const LossPlan &plan)
{
    SearchRequest values = request;
    LossPlan loss_values = plan;
    Options options = search_options(values);
    append(options, loss_options(loss_values));
    return journal_header(static_cast<const SeriesRequest &>(request),
                          "dnsgauge/loss-search-journal/1", options, describe_setup(request.trial));
}

} // namespace dnsgauge
