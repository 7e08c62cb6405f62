// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest_run.h"

#include "result/labels.h"
#include "stats/selftest_rule.h"
#include "stats/summary.h"
#include "text/table.h"
#include "units/rate.h"
#include "userland/counted.h"
#include "userland/listed.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

bool is_one_rate(const SelftestResult &result)
{
    return result.min_rate == result.max_rate;
}

std::string verdict_text(const SelftestResult &result)
{
    if (result.end == TrialsEnd::interrupted)
        return "none: interrupted";
    if (result.end == TrialsEnd::invalid_trial)
        return "none: a trial is invalid";
    if (!result.allowed)
        return fmt::format("not passed: this Tester may not be used at {} queries/s{}",
                           result.min_rate.per_second, is_one_rate(result) ? "" : " or more");
    return fmt::format(
        "passed: this Tester may be used up to {} queries/s with a timeout of {:g} s or more{}",
        result.allowed->per_second, seconds(result.timeout),
        result.end == TrialsEnd::above_range && !is_one_rate(result)
            ? ", the highest rate that was asked for"
            : "");
}

void add_rows(Table &table, const PlacementStage &stage)
{
    for (std::size_t i = 0; i < stage.walked.size(); i++) {
        const WalkedPlacement &placement = stage.walked[i];
        const std::vector<double> rates(placement.rates.begin(), placement.rates.end());
        const Band spread = band_of(rates).value_or(Band{});
        table.rows.push_back(
            {stage.part, fmt::format("{}", placement.sender_cpu),
             placement.sender_queue ? fmt::format("{}", *placement.sender_queue) : "usual",
             settings_text(placement.settings), fmt::format("{:.0f}", spread.min),
             fmt::format("{:.0f}", spread.median), fmt::format("{:.0f}", spread.max),
             i == stage.best ? "best" : ""});
    }
}

std::string placements_text(const PlacementWalk &walk, const std::string &interface)
{
    Table table;
    table.caption = fmt::format("Placements: the highest r in queries/s of {} each",
                                counted(walk.repeat, "search", "searches"));
    table.heads = {
        {"placed", "sender's CPU", "its queue", "settings", "lowest", "median", "highest", ""}};
    for (const PlacementStage &stage : walk.stages) {
        add_rows(table, stage);
        table.notes.push_back(fmt::format("The {}: the self-test {}.", stage.part, stage.found));
    }
    for (const std::string &why : walk.not_walked)
        table.notes.push_back("Not placed: " + why + ".");
    if (const auto &queue = walk.best().sender_queue)
        table.notes.push_back(fmt::format("Trials take the best transmit queue where {} say so: a "
                                          "set-up with a self-test of its own.",
                                          sender_options(walk.best().sender_cpu, *queue)));
    if (const auto &settings = walk.best().settings; !settings.empty())
        table.notes.push_back(fmt::format(
            "The machine is as it was: dnsgauge placement apply --interface {} {} makes it best.",
            interface, settings_text(settings)));
    return "\n" + render(table, TableForm::text);
}

} // namespace

std::string to_text(const SelftestResult &result)
{
    const SelftestRule rule(result.delta);
    const Circumstances &with = result.circumstances;
    std::string text = fmt::format(
        "self-test against FakeDNS at {}: for r queries/s, 2*r*(1+{:g}) AAAA queries/s for {:g} s, "
        "answered within {:g} s\n",
        result.server, rule.delta(), seconds(result.duration),
        seconds(SelftestRule::timeout_for(result.timeout)));
    const auto row = [&text](const char *name, const std::string &what) {
        text += fmt::format("  {:<12}{}\n", name, what);
    };
    row("through", fmt::format("{} ({}), {}CPU {}, {}", with.interface, with.driver,
                               with.xdp_mode.empty() ? "" : counted(with.queues, "queue") + ", ",
                               join(with.sender_cpus, ","), carrier_text(result.setup, with)));
    row("trials", fmt::format("{}", result.trials.size()));
    if (result.allowed)
        row("kept",
            fmt::format("{} queries/s for r = {} (2*(r+delta), as RFC 8219 prints it, is {:.1f})",
                        rule.rate_for(*result.allowed).per_second, result.allowed->per_second,
                        rule.printed_rate_for(*result.allowed)));
    if (result.stopped_by)
        row("stopped by",
            fmt::format("{} queries/s for r = {}: {}", result.stopped_by->trial.rate.per_second,
                        result.stopped_by->r.per_second, result.stopped_by->trial.why));
    row("verdict", verdict_text(result));
    if (!result.record.empty())
        row("record", result.record);
    for (const std::string &note : result.record_notes)
        row("", "the record " + note);
    for (const CaveatLine &line : caveat_lines(result.caveats))
        row(line.name, line.text);
    if (result.placements)
        text += placements_text(*result.placements, with.interface);
    return text;
}

} // namespace dnsgauge
