// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/sweep_text.h"

#include "result/labels.h"
#include "text/duration_text.h"
#include "text/search_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string answered_rate_text(const SweepStep &step)
{
    return fmt::format("{:.1f}", step.answered_rate());
}

// For programs, which want figures without units.
Table plain_table(const SweepResult &result)
{
    Table table;
    table.heads = {{"rate", "repetition", "sent", "answered", "answered_percent", "answered_rate",
                    "late", "invalid", "lost", "rtt_p50_ns", "rtt_p99_ns"}};
    for (const SweepStep &step : result.steps) {
        table.rows.push_back(
            {fmt::format("{}", step.rate.per_second), fmt::format("{}", step.repetition),
             fmt::format("{}", step.sent), fmt::format("{}", step.answered),
             answered_percent_text(step.answered, step.sent), answered_rate_text(step),
             fmt::format("{}", step.late), fmt::format("{}", step.invalid),
             fmt::format("{}", step.lost), figure_text(step.rtt_p50), figure_text(step.rtt_p99)});
    }
    return table;
}

std::string caption_of(const SweepResult &result)
{
    return fmt::format("Response rate of {} from {} to {} queries/s: {} of {} steps of {:g} s, "
                       "timeout {:g} s, {} spacing{}",
                       result.server, result.min_rate.per_second, result.max_rate.per_second,
                       result.steps.size(), result.rates * result.repeat, seconds(result.duration),
                       seconds(result.timeout), spacings.text_of(result.spacing),
                       result.repeat == 1 ? "" : fmt::format(", {} repetitions", result.repeat));
}

std::vector<std::string> notes_of(const SweepResult &result)
{
    std::vector<std::string> notes;
    for (const CaveatLine &line : caveat_lines(result.caveats))
        notes.push_back(line.text);
    std::ranges::copy(through_lines(result), std::back_inserter(notes));
    if (result.invalid_trials != 0)
        notes.push_back(invalid_trials_text(result));
    return notes;
}

} // namespace

std::string answered_percent_text(std::uint64_t answered, std::uint64_t sent)
{
    if (sent == 0)
        return "-";
    constexpr std::uint64_t all = 1'000'000; // ten-thousandths of a percent
    __extension__ using wide = unsigned __int128;
    const auto share = static_cast<std::uint64_t>(wide{answered} * all / sent);
    return fmt::format("{}.{:04}", share / 10'000, share % 10'000);
}

std::string answered_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return "invalid: " + trial.why;
    return fmt::format("{} sent, {} answered, {} %", trial.queries.sent, trial.queries.valid,
                       answered_percent_text(trial.queries.valid, trial.queries.sent));
}

std::string to_text(const SweepResult &result, TableForm form)
{
    if (form == TableForm::csv)
        return render(plain_table(result), form);
    const bool is_repeated = result.repeat > 1;
    Table table;
    table.caption = caption_of(result);
    table.heads = {{"queries/s", "sent", "answered", "answered %", "answered/s", "late", "invalid",
                    "lost", "RTT median", "RTT p99"}};
    if (is_repeated)
        table.heads.front().insert(table.heads.front().begin() + 1, "repetition");
    for (const SweepStep &step : result.steps) {
        Table::Row row = {fmt::format("{}", step.rate.per_second),
                          fmt::format("{}", step.sent),
                          fmt::format("{}", step.answered),
                          answered_percent_text(step.answered, step.sent),
                          answered_rate_text(step),
                          fmt::format("{}", step.late),
                          fmt::format("{}", step.invalid),
                          fmt::format("{}", step.lost),
                          known_duration_text(step.rtt_p50),
                          known_duration_text(step.rtt_p99)};
        if (is_repeated)
            row.insert(row.begin() + 1, fmt::format("{}", step.repetition));
        table.rows.push_back(std::move(row));
    }
    table.notes = notes_of(result);
    return render(table, form);
}

} // namespace dnsgauge
