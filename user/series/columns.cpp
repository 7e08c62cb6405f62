// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/columns.h"

#include "record/json.h"
#include "result/labels.h"
#include "userland/counted.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

std::string rate_text(const Json &rate)
{
    return fmt::format("{:.1f}", rate.get<double>());
}

// A loss that is not zero never shows as zero.
std::string loss_text(const Json &percent)
{
    constexpr double least = 0.0001;
    const auto loss = percent.get<double>();
    return loss > 0 && loss < least ? "<0.0001" : fmt::format("{:.4f}", loss);
}

std::string plain_loss(const Json &percent)
{
    return fmt::format("{:.8g}", percent.get<double>());
}

std::string through_text(const Circumstances &with)
{
    const std::string link =
        with.link_mbps == 0 ? std::string() : fmt::format(", {} Mbit/s", with.link_mbps);
    const std::string means =
        with.xdp_mode.empty() ? "TCP"
                              : fmt::format("{}, XDP {}, AF_XDP {}", counted(with.queues, "queue"),
                                            with.xdp_mode, with.af_xdp_mode);
    return fmt::format("through {} ({}, MTU {}{}), {}, from CPU {}", with.interface, with.driver,
                       with.mtu, link, means, fmt::join(with.sender_cpus, ","));
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

} // namespace

Columns<TrialSummary> trial_columns(const Columns<TrialSummary> &more)
{
    using Row = TrialSummary;
    Columns<Row> columns = {
        {"rate", "queries/s", [](const Row &row) { return row.rate.per_second; }},
        {"repetition", "repetition", &Row::repetition},
        {"duration_s", "", [](const Row &row) { return seconds(row.duration); }},
        {"started", "started (UTC)", &Row::started},
        {"verdict", "verdict", [](const Row &row) { return to_string(row.verdict); }},
        {"why", "", &Row::why},
        {"sent", "sent", &Row::sent},
        {"answered", "answered", &Row::valid},
        {"answered_percent", "answered %", [](const Row &row) { return row.answered_of(100); }},
        {"answered_rate", "answered/s", &Row::answered_rate, rate_text, rate_text},
        {"loss_percent", "loss %", &Row::loss_percent, loss_text, plain_loss},
        {"late", "late", &Row::late},
        {"invalid", "invalid", &Row::invalid},
        {"lost", "lost", &Row::lost},
        {"rtt_p50_ns", "RTT median", [](const Row &row) { return figure_json(row.rtt_p50); }},
        {"rtt_p99_ns", "RTT p99", [](const Row &row) { return figure_json(row.rtt_p99); }},
    };
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
}

std::string answered_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return "invalid: " + trial.why;
    return fmt::format("{} sent, {} answered, {} %", trial.queries.sent, trial.queries.valid,
                       percent_text(trial.queries.valid, trial.queries.sent));
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

std::vector<std::string> series_notes(const SeriesResult &result, bool counts_invalid)
{
    std::vector<std::string> notes;
    for (const CaveatLine &line : caveat_lines(result.caveats))
        notes.push_back(line.text);
    std::ranges::copy(through_lines(result), std::back_inserter(notes));
    if (counts_invalid && result.invalid_trials != 0)
        notes.push_back(invalid_trials_text(result));
    return notes;
}

} // namespace dnsgauge
