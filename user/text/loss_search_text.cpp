// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/loss_search_text.h"

#include "result/labels.h"
#include "text/search_text.h"
#include "text/table.h"
#include "userland/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dnsgauge
{

namespace
{

bool is_finished(const LossSearchResult &result)
{
    return result.end == TrialsEnd::complete;
}

std::string lower_text(const LossSearchResult &result, const LossBounds &goal)
{
    if (goal.lower)
        return fmt::format("{}", goal.lower->per_second);
    return is_finished(result) ? fmt::format("< {}", result.min_rate.per_second) : "-";
}

std::string upper_text(const LossSearchResult &result, const LossBounds &goal)
{
    if (goal.upper)
        return fmt::format("{}", goal.upper->per_second);
    return is_finished(result) ? fmt::format("> {}", result.max_rate.per_second) : "-";
}

std::string caption_of(const LossSearchResult &result)
{
    double time = 0;
    for (const LossStep &step : result.steps)
        time += seconds(step.duration);
    const double shortest = seconds(result.first_duration);
    const double longest = seconds(result.duration);
    const std::string durations = shortest == longest
                                      ? fmt::format("{:g} s", longest)
                                      : fmt::format("{:g} to {:g} s", shortest, longest);
    return fmt::format("Rates of {} by loss ratio (RFC 9971), from {} to {} queries/s: {} of {}, "
                       "{:.0f} s together",
                       result.server, result.min_rate.per_second, result.max_rate.per_second,
                       counted(result.steps.size(), "trial"), durations, time);
}

} // namespace

std::string lost_percent_text(std::uint64_t valid, std::uint64_t sent)
{
    if (sent == 0)
        return "-";
    return fmt::format("{:.4g}",
                       100 * static_cast<double>(sent - valid) / static_cast<double>(sent));
}

std::string to_text(const LossSearchResult &result)
{
    Table table;
    table.caption = caption_of(result);
    table.heads = {{"lost at most", "lower bound", "upper bound", "answers/s"}};
    for (const LossBounds &goal : result.goals)
        table.rows.push_back(
            {fmt::format("{:g} %", goal.loss_percent), lower_text(result, goal),
             upper_text(result, goal),
             goal.lower ? fmt::format("{:.0f}", goal.conditional_throughput) : "-"});
    table.notes.push_back(fmt::format(
        "a rate is decided by {:g} s of trials of {:g} s; {:g} % of that time may be worse",
        seconds(result.duration_sum), seconds(result.duration), result.exceed_percent));
    for (const CaveatLine &line : caveat_lines(result.caveats))
        table.notes.push_back(line.text);
    std::ranges::copy(through_lines(result), std::back_inserter(table.notes));
    if (result.invalid_trials != 0)
        table.notes.push_back(invalid_trials_text(result));
    return render(table, TableForm::text);
}

} // namespace dnsgauge
