// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sweep/sweep_request.h"

#include "options/option_error.h"
#include "search/tester_setup.h"
#include "trial/compliance.h"
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
    return journal_header(request, "dnsgauge/sweep-journal/1", sweep_options(values),
                          describe_setup(request.trial));
}

Caveats caveats_of(const SweepRequest &request)
{
    return caveats_of(request, trial_deviations(request.trial));
}

} // namespace dnsgauge
