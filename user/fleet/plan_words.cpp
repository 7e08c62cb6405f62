// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/plan_words.h"

#include "options/command_line.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "workload/captured_queries.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

Options options_of(TrialPlan &plan)
{
    Options options{{"rate", rate(plan.rate)}, {"per-query", text(plan.per_query_file)}};
    append(options, trial_options(plan));
    append(options, interval_options(plan));
    append(options, replay_options(plan));
    return options;
}

} // namespace

std::vector<std::string> words_of(const TrialPlan &plan, const std::vector<std::string> &without)
{
    TrialPlan values = plan;
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload);
        capture != nullptr && capture->queries)
        values.duration = capture->queries->duration();
    TrialPlan usual = usual_plan();
    Options options = options_of(values);
    std::erase_if(options, [&without](const Option &option) {
        return std::ranges::find(without, option.name) != without.end();
    });
    return command_words(options, options_of(usual));
}

TrialPlan plan_of(const std::vector<std::string> &words, std::vector<GivenOption> own)
{
    TrialPlan plan = usual_plan();
    const Options options = options_of(plan);
    std::erase_if(own, [&options](const GivenOption &one) {
        return find_option(options, one.option) == nullptr;
    });
    // The plan was checked when its words were made: only values that are read now can be wrong.
    read_values(options, parse_words(options, words));
    read_values(options, own);
    fill_in(plan);
    return plan;
}

TrialPlan plan_of(const ToldPlan &told)
{
    return plan_of(told.words, told.own);
}

} // namespace dnsgauge
