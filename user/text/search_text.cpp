// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/search_text.h"

#include "result/labels.h"
#include "stats/summary.h"
#include "text/calibration_text.h"
#include "text/selftest_text.h"
#include "text/statistics_table.h"
#include "userland/counted.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

// Returns "20000..30000", or what is known of it; empty: nothing is.
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

bool is_capped(const Repetition &repetition)
{
    return repetition.cap.has_value();
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

std::string through_text(const Circumstances &with)
{
    const std::string link =
        with.link_mbps == 0 ? std::string() : fmt::format(", {} Mbit/s", with.link_mbps);
    return fmt::format("through {} ({}, MTU {}{}), {}, XDP {}, AF_XDP {}, from CPU {}",
                       with.interface, with.driver, with.mtu, link, counted(with.queues, "queue"),
                       with.xdp_mode, with.af_xdp_mode, fmt::join(with.sender_cpus, ","));
}

std::string teams_text(const TrialLog &log)
{
    std::vector<std::string> teams;
    for (const TesterTeam &team : log.teams) {
        std::string text = fmt::format("{} ({})", counted(team.hosts.size(), "Tester"),
                                       fmt::join(team.hosts, ", "));
        if (log.teams.size() > 1)
            text += fmt::format(" made {}", counted(team.trials, "trial"));
        if (const auto asked = each_once(team.servers); asked != log.servers())
            text += fmt::format(" of {}", fmt::join(asked, ", "));
        teams.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(teams, ", then "));
}

std::vector<std::string> through_lines(const TrialLog &log)
{
    std::vector<std::string> lines;
    const std::string whose = log.is_of_several() ? "Tester 0: " : "";
    if (log.is_of_several())
        lines.push_back(teams_text(log));
    if (log.circumstances)
        lines.push_back(whose + through_text(*log.circumstances));
    if (log.circumstances && !log.circumstances->sender_cpus_why.empty())
        lines.push_back(whose + "sender's CPU: " + log.circumstances->sender_cpus_why);
    if (log.placement)
        lines.insert(lines.end(), log.placement->notes.begin(), log.placement->notes.end());
    return lines;
}

std::string invalid_trials_text(const TrialLog &log)
{
    return fmt::format("{} of {} {} invalid; such a trial is made again, up to {} in a row",
                       log.invalid_trials, counted(log.trials, "trial"),
                       log.invalid_trials == 1 ? "was" : "were",
                       counted(log.invalid_retries, "time"));
}

std::string bound_text(const SearchResult &result)
{
    if (result.repetitions.empty() || result.repetitions.back().rate)
        return {};
    return bound_text(result.repetitions.back());
}

std::vector<std::string> search_notes(const SearchResult &result)
{
    std::vector<std::string> notes;
    if (result.at_least())
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
    const auto out = std::back_inserter(text);
    for (const CaveatLine &line : caveat_lines(result.caveats))
        fmt::format_to(out, "  {}\n", line.text);
    if (result.dns64)
        fmt::format_to(out,
                       "  DNS64: {} % of the names with AAAA records, {} % of the queries cached\n",
                       result.dns64->aaaa_share, result.dns64->cached_share);
    for (const std::string &line : through_lines(result))
        fmt::format_to(out, "  {}\n", line);
    if (result.rates().empty() && !result.at_least())
        for (const std::string &note : search_notes(result))
            fmt::format_to(out, "  {}\n", note);
    fmt::format_to(out, "  {:>6} {:>11} {:>7}\n", "search", "queries/s", "trials");
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
    if (std::any_of(result.repetitions.begin(), result.repetitions.end(), is_capped))
        text += "  capped: perhaps by one unlucky trial; --confirm 1 would have tried it again\n";
    if (!result.rates().empty() || result.at_least())
        text += "\n" + statistics_text(result);
    return text;
}

} // namespace dnsgauge
