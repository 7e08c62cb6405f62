// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/plan_words.h"

#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "userland/setup_error.h"
#include "workload/captured_queries.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

Options options_of(TrialPlan &plan)
{
    Options options{{.name = "rate", .access = rate(plan.rate)},
                    {.name = "per-query", .access = text(plan.per_query_file)}};
    append(options, trial_options(plan));
    append(options, interval_options(plan));
    append(options, replay_options(plan));
    return options;
}

// The plan was checked when its words were made: only values that are read now can be wrong.
void set(const Options &options, const std::string &name, const std::string &text)
{
    const Option *option = find_option(options, name);
    if (option == nullptr)
        throw SetupError("trials have no option --" + name + ": please report this");
    read_options({*option}, {{name, text}});
}

} // namespace

std::vector<std::string> words_of(const TrialPlan &plan, const std::vector<std::string> &without)
{
    TrialPlan values = plan;
    if (plan.captured)
        values.duration = plan.captured->duration();
    TrialPlan usual = usual_plan();
    Options options = options_of(values);
    std::erase_if(options, [&without](const Option &option) {
        return std::ranges::find(without, option.name) != without.end();
    });
    return command_words(options, options_of(usual));
}

TrialPlan plan_of(const std::vector<std::string> &words, const std::vector<GivenOption> &own)
{
    TrialPlan plan = usual_plan();
    const Options options = options_of(plan);
    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string name = words[i].substr(2);
        const Option *option = find_option(options, name);
        const bool has_text = option != nullptr && !option->access.is_flag && i + 1 < words.size();
        set(options, name, has_text ? words[++i] : "");
    }
    for (const GivenOption &one : own)
        set(options, one.option, one.text);
    fill_in(plan);
    return plan;
}

std::vector<QueryFile> files_of(const TrialPlan &plan)
{
    std::vector<QueryFile> files;
    if (plan.queries_file)
        files.push_back({.option = "--queries", .path = *plan.queries_file});
    for (const std::string &path : plan.replay.files)
        files.push_back({.option = "--capture", .path = path});
    return files;
}

bool is_of_trials(const std::string &option)
{
    TrialPlan plan = usual_plan();
    return find_option(options_of(plan), option) != nullptr;
}

void check_value(const GivenOption &value)
{
    TrialPlan plan = usual_plan();
    set(options_of(plan), value.option, value.text);
}

} // namespace dnsgauge
