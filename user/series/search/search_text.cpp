// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/columns.h"
#include "series/search/search.h"
#include "stats/summary.h"
#include "text/statistics_table.h"
#include "userland/counted.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

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
    StatisticsColumn column{.settings = {result.server},
                            .rates = summarize(result.rates()),
                            .accept_percent = result.accept_percent,
                            .caveats = result.caveats,
                            .notes = search_notes(result),
                            .bound = bound_text(result)};
    column.caveats.capped = 0; // the rows above tell which searches
    if (result.caveats.is_tester_limited())
        column.notes.push_back(result.caveats.tester_limit);
    return render(statistics_table("Highest rate", {"Server"}, {&column, 1}), TableForm::text);
}

} // namespace

std::string bound_text(const SearchResult &result)
{
    if (result.repetitions.empty() || result.repetitions.back().rate)
        return {};
    return bound_text(result.repetitions.back());
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
