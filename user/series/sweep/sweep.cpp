// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/sweep/sweep.h"

#include "options/option_error.h"
#include "record/series_json.h"
#include "result/labels.h"
#include "series/columns.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t rates_most = 10'000;

Options grid_options(SweepPlan &plan)
{
    return {
        {.name = "min-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Lowest rate, queries per second",
         .access = rate(plan.min),
         .is_required = true},
        {.name = "max-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Highest rate, queries per second",
         .access = rate(plan.max),
         .is_required = true},
        {.name = "steps",
         .group = OptionGroup::rates,
         .type = "COUNT",
         .help = "Rates to try, both ends included",
         .access = whole(plan.rates, 2, rates_most)},
        {.name = "spacing",
         .group = OptionGroup::rates,
         .type = "KIND",
         .help =
             "How the rates follow each other: linear, logarithmic, or bisected where the curve "
             "bends",
         .access = word(plan.spacing, spacings)},
        {.name = "repeat",
         .group = OptionGroup::rates,
         .type = "COUNT",
         .help = "Times to try all rates",
         .access = whole(plan.repeat, 1, 10000)},
        invalid_retries_option(plan.invalid_retries),
    };
}

void check_grid(const SweepPlan &plan)
{
    if (plan.min >= plan.max)
        throw OptionError({"min-rate", "max-rate"},
                          fmt::format("--min-rate {} must be below --max-rate {}",
                                      plan.min.per_second, plan.max.per_second));
    constexpr std::uint64_t bisected_least = 3;
    if (plan.spacing == Spacing::bisected && plan.rates < bisected_least)
        throw OptionError({"steps", "spacing"},
                          fmt::format("--spacing bisected begins with {} rates: give --steps {} or "
                                      "more",
                                      bisected_least, bisected_least));
    const bool are_too_many = plan.max.per_second - plan.min.per_second < plan.rates - 1;
    std::vector<Rate> rates;
    if (!are_too_many)
        rates = rates_of(plan);
    if (are_too_many || std::ranges::adjacent_find(rates) != rates.end())
        throw OptionError(
            {"steps", "min-rate", "max-rate"},
            fmt::format("--steps {} would try the same rate twice, because rates are whole "
                        "numbers: give fewer steps, or rates that are farther apart",
                        plan.rates));
}

Columns step_columns()
{
    using Row = TrialSummary;
    return {
        {"rate", "queries/s", [](const Row &step) { return Column::Json(step.rate.per_second); }},
        {"repetition", "repetition", [](const Row &step) { return Column::Json(step.repetition); }},
        column::sent,
        column::answered,
        {"answered_percent", "answered %",
         [](const Row &step) { return Column::Json(step.answered_of(100)); },
         [](const Row &step) { return answered_percent_text(step.valid, step.sent); }},
        {"answered_rate", "answered/s",
         [](const Row &step) { return Column::Json(step.answered_rate()); },
         [](const Row &step) { return fmt::format("{:.1f}", step.answered_rate()); }},
        column::late,
        column::invalid,
        column::lost,
        column::rtt_p50,
        column::rtt_p99,
    };
}

std::string caption_of(const SweepResult &result)
{
    const SweepPlan &plan = result.plan;
    return fmt::format("Response rate of {} from {} to {} queries/s: {} of {} steps of {:g} s, "
                       "timeout {:g} s, {} spacing{}",
                       result.server, plan.min.per_second, plan.max.per_second, result.rows.size(),
                       plan.rates * plan.repeat, seconds(result.duration), seconds(result.timeout),
                       spacings.text_of(plan.spacing),
                       plan.repeat == 1 ? "" : fmt::format(", {} repetitions", plan.repeat));
}

} // namespace

// A response-rate curve shows servers beyond what they can do: no RFC asks for a pause between its
// steps.
SweepRequest usual_sweep()
{
    SweepRequest request;
    set_defaults(request);
    request.between.pause = {};
    return request;
}

Options sweep_options(SweepRequest &request)
{
    Options options = grid_options(request.sweep);
    append(options, series_options(request));
    return options;
}

void complete(SweepRequest &request)
{
    const SweepPlan &plan = request.sweep;
    check_grid(plan);
    complete(request, plan.min, plan.max, plan.rates * plan.repeat, false);
}

nlohmann::ordered_json journal_header(const SweepRequest &request)
{
    SweepRequest values = request;
    return journal_header(request, "sweep", sweep_options(values));
}

SweepResult run_sweep(const SweepPlan &plan, Journal &journal, const TrialRunner &run)
{
    SweepSteps steps(plan);
    SweepResult result{run_series(steps, journal, run, "sweep", plan.invalid_retries), plan};
    leave_valid(result);
    return result;
}

SweepResult make_series(const SweepRequest &request, Journal &journal,
                        const std::atomic<bool> &stop)
{
    const ProgressWords words{.series = "repetition", .trial = "step", .outcome = answered_text};
    SweepResult result =
        show_series(request, request.sweep.repeat, caveats_text(caveats_of(request)), words, stop,
                    [&](const TrialRunner &run) { return run_sweep(request.sweep, journal, run); });
    describe(result, request, caveats_of(request));
    add_made_again(result.caveats, result, result.end == TrialsEnd::invalid_trial);
    return result;
}

nlohmann::ordered_json to_json(const SweepResult &result, const nlohmann::ordered_json &header)
{
    const SweepPlan &plan = result.plan;
    return series_json("sweep", result, header,
                       {{"min_rate", plan.min.per_second},
                        {"max_rate", plan.max.per_second},
                        {"spacing", spacings.text_of(plan.spacing)},
                        {"rates", plan.rates},
                        {"repeat", plan.repeat},
                        {"duration_s", seconds(result.duration)}},
                       {{"steps", rows_json(result.rows, step_columns())}});
}

std::string to_text(const SweepResult &result, TableForm form)
{
    Columns columns = step_columns();
    if (form == TableForm::csv)
        return rows_csv(result.rows, columns);
    if (result.plan.repeat == 1)
        columns.erase(columns.begin() + 1);
    Table table = rows_table(result.rows, columns);
    table.caption = caption_of(result);
    table.notes = series_notes(result);
    return render(table, form);
}

} // namespace dnsgauge
