// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gate/gate_probe.h"

#include "record/json_text.h"
#include "record/probe_fields.h"
#include "system/listed.h"
#include "text/figure_text.h"
#include "text/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

// The ways in which a trial's queries were lost, in words, and the number of its queries.
struct Losses {
    std::vector<Fate> fates{};
    std::uint64_t queries = 0;
};

Losses losses_of(ProbeResult probe, const Json &trial)
{
    // Leaves out what differs between trials, the server's process and the interface's counters, so
    // that a fate has the same words in each.
    probe.sockets.clear();
    probe.interface_drops.clear();
    if (probe.followed != probe.arrived)
        return {fates_in_sample(probe), probe.followed};
    const std::uint64_t sent = whole_number(trial.at("sent"));
    const std::uint64_t lost = whole_number(trial.at("lost"));
    Losses losses{fates_of_lost(probe, sent, sent - lost), sent};
    std::uint64_t known = 0;
    for (const Fate &fate : losses.fates)
        known += fate.count;
    if (known < lost)
        losses.fates.push_back({lost - known, "lost where the probe does not see"});
    return losses;
}

// Returns the figure with bounds of its differences. Each bound may be wrong with this probability.
SeenFigure bounded(const std::vector<GatePair> &rounds, double error,
                   double (*difference)(double baseline, double candidate))
{
    MedianBounds bounds(error, error);
    for (const GatePair &round : rounds)
        bounds.add(difference(*round.baseline, *round.candidate));
    return {rounds.empty() ? KnownDifference{} : known_by(bounds), rounds};
}

double error_of_stage(double error_percent)
{
    return error_percent / 100 / static_cast<double>(dnsgauge::stages.size());
}

enum class Known { change, bounds, nothing };

Known known_of(const SeenFigure &figure)
{
    if ((figure.low && *figure.low > 0) || (figure.high && *figure.high < 0))
        return Known::change;
    return figure.low && figure.high ? Known::bounds : Known::nothing;
}

// Returns the bounds in words after a space, such as " (52 to 61 % longer)"; empty if there are
// none.
std::string bounds_text(const SeenFigure &figure, const char *unit, const char *more,
                        const char *less)
{
    if (!figure.low || !figure.high)
        return {};
    if (known_of(figure) == Known::bounds)
        return fmt::format(" ({} {} {} to {} {} {})", number_text(std::abs(*figure.low)), unit,
                           less, number_text(*figure.high), unit, more);
    std::string low = number_text(std::min(std::abs(*figure.low), std::abs(*figure.high)));
    const std::string high = number_text(std::max(std::abs(*figure.low), std::abs(*figure.high)));
    if (low != high)
        low += " to " + high;
    return fmt::format(" ({} {} {})", low, unit, *figure.low > 0 ? more : less);
}

std::string text_of(const SeenStage &stage)
{
    const auto median = [&](std::optional<double> GatePair::*side) {
        return duration_text(*median_of(stage.figure.rounds, side));
    };
    return fmt::format("{} {} -> {}{}", stage.name, median(&GatePair::baseline),
                       median(&GatePair::candidate),
                       bounds_text(stage.figure, "%", "longer", "shorter"));
}

// Returns the stages that changed, those that are not shown to change, and the rest.
std::string stages_text(const GateProbe &probe)
{
    if (probe.stages.empty())
        return "the probe saw no stage of both servers";
    std::vector<std::string> parts;
    const auto add = [&](Known known, const std::string &begin) {
        const std::string told = joined(
            probe.stages,
            [known](const SeenStage &stage) {
                return known_of(stage.figure) == known ? text_of(stage) : std::string();
            },
            ", ");
        if (!told.empty())
            parts.push_back(begin + told);
    };
    add(Known::change, "");
    add(Known::bounds, "not shown to change: ");
    add(Known::nothing, "too few rounds to say more of ");
    return "p50 on the server's machine: " + join(parts, "; ");
}

std::string fates_text(const GateProbe &probe)
{
    std::uint64_t baseline = 0;
    std::uint64_t candidate = 0;
    for (const SeenFate &fate : probe.fates) {
        baseline += fate.baseline;
        candidate += fate.candidate;
    }
    const bool is_one = probe.fates.size() == 1;
    const std::string told = joined(
        probe.fates,
        [is_one](const SeenFate &fate) {
            return fmt::format(
                "{} {}{}", is_one ? "all" : fmt::format("{} -> {}", fate.baseline, fate.candidate),
                fate.name, bounds_text(fate.figure, "points", "more", "fewer"));
        },
        "; ");
    return fmt::format("lost: {} of {} -> {} of {} queries{}", baseline, probe.baseline, candidate,
                       probe.candidate, told.empty() ? "" : ": " + told);
}

} // namespace

void ProbeComparison::feed(const Json &baseline, const Json &candidate)
{
    const auto probe_of = [](const Json &trial) {
        return read_or_none<ProbeResult>(trial.value("probe", Json()));
    };
    const std::optional<ProbeResult> old_probe = probe_of(baseline);
    const std::optional<ProbeResult> new_probe = probe_of(candidate);
    if (!old_probe || !new_probe)
        return;
    for (const Stage &stage : dnsgauge::stages) {
        const StageTimes &old_times = (*old_probe).*stage.times;
        const StageTimes &new_times = (*new_probe).*stage.times;
        if (old_times.count != 0 && new_times.count != 0)
            stages_[stage.label].push_back(
                {static_cast<double>(old_times.p50), static_cast<double>(new_times.p50)});
    }
    const auto take = [&](const Losses &losses, std::optional<double> GatePair::*side,
                          std::uint64_t Lost::*count) {
        for (const Fate &fate : losses.fates) {
            auto found = std::ranges::find(fates_, fate.text, &decltype(fates_)::value_type::first);
            if (found == fates_.end())
                found = fates_.insert(fates_.end(), {fate.text, Lost{}});
            Lost &lost = found->second;
            // A fate that was not seen in a round has 0 queries.
            lost.rounds.resize(rounds_ + 1, {0, 0});
            lost.rounds.back().*side =
                100 * static_cast<double>(fate.count) / static_cast<double>(losses.queries);
            lost.*count += fate.count;
        }
        return losses.queries;
    };
    baseline_ += take(losses_of(*old_probe, baseline), &GatePair::baseline, &Lost::baseline);
    candidate_ += take(losses_of(*new_probe, candidate), &GatePair::candidate, &Lost::candidate);
    rounds_++;
}

bool ProbeComparison::needs_rounds(double error_percent) const
{
    return rounds_ != 0 && rounds_ < fewest_differences(error_of_stage(error_percent));
}

std::optional<GateProbe> ProbeComparison::seen(double error_percent) const
{
    if (rounds_ == 0)
        return std::nullopt;
    GateProbe probe{.baseline = baseline_, .candidate = candidate_};
    const auto longer = [](double baseline, double candidate) {
        return 100 * (candidate / std::max(baseline, 1.0) - 1);
    };
    for (const Stage &stage : dnsgauge::stages)
        if (const auto rounds = stages_.find(stage.label); rounds != stages_.end())
            probe.stages.push_back(
                {stage.label, bounded(rounds->second, error_of_stage(error_percent), longer)});
    const auto more = [](double baseline, double candidate) { return candidate - baseline; };
    for (const auto &[name, lost] : fates_) {
        std::vector<GatePair> rounds = lost.rounds;
        rounds.resize(rounds_, {0, 0});
        const double error = error_percent / 100 / static_cast<double>(fates_.size());
        probe.fates.push_back({name, bounded(rounds, error, more), lost.baseline, lost.candidate});
    }
    return probe;
}

static void fields(Fields &row, GatePair &round)
{
    row.made("baseline", round.baseline, "the baseline's value");
    row.made("candidate", round.candidate, "the candidate's value");
}

static void fields_of(Fields &row, SeenFigure &figure)
{
    fields_of(row, figure,
              "the median of the rounds' differences, above 0 where the candidate has more");
    row.list("rounds", figure.rounds, "the values, by round");
}

static void fields(Fields &row, SeenStage &stage)
{
    row("stage", stage.name, "the stage, as dnsgauge/trial/1's probe has it");
    row.made("baseline_ns", median_of(stage.figure.rounds, &GatePair::baseline),
             "the median of the rounds' values");
    row.made("candidate_ns", median_of(stage.figure.rounds, &GatePair::candidate),
             "the median of the candidate's values");
    fields_of(row, stage.figure);
}

static void fields(Fields &row, SeenFate &fate)
{
    row("fate", fate.name, "what became of the queries, in words");
    row("baseline", fate.baseline, "the baseline's queries in all rounds");
    row("candidate", fate.candidate, "the candidate's queries");
    fields_of(row, fate.figure);
}

void fields(Fields &row, GateProbe &probe)
{
    row("baseline", probe.baseline,
        "queries that were sent to the baseline; of a sample, the followed queries");
    row("candidate", probe.candidate,
        "queries that were sent to the candidate; of a sample, the followed queries");
    row.list("stages", probe.stages,
             "the stages: medians in nanoseconds, and differences in percent");
    row.list("fates", probe.fates,
             "what became of lost queries: percent of all, and differences in percentage points");
}

std::string to_text(const GateProbe &probe)
{
    return fmt::format("probe: {}\nprobe: {}\n", stages_text(probe), fates_text(probe));
}

std::string to_markdown(const GateProbe &probe)
{
    Table table;
    table.caption = fmt::format("The probe, which decided nothing: {}; {}", stages_text(probe),
                                fates_text(probe));
    table.heads = {{"p50 of a stage, or fate", "baseline", "candidate", "longer or more by",
                    "at least", "at most"}};
    const auto add = [&](const std::string &name, const std::string &baseline,
                         const std::string &candidate, const SeenFigure &figure, const char *unit) {
        const auto text = [&](const std::optional<double> &value) {
            return value ? fmt::format("{} {}", signed_text(*value), unit) : "-";
        };
        table.rows.push_back(
            {name, baseline, candidate, text(figure.median), text(figure.low), text(figure.high)});
    };
    for (const auto &[name, figure] : probe.stages)
        add(name, duration_text(*median_of(figure.rounds, &GatePair::baseline)),
            duration_text(*median_of(figure.rounds, &GatePair::candidate)), figure, "%");
    for (const SeenFate &fate : probe.fates)
        add(fate.name, fmt::format("{} of {}", fate.baseline, probe.baseline),
            fmt::format("{} of {}", fate.candidate, probe.candidate), fate.figure, "points");
    return render(table, TableForm::markdown);
}

} // namespace dnsgauge
