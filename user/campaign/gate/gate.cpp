// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gate/gate.h"

#include "record/machine_fields.h"
#include "stats/summary.h"
#include "userland/listed.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

std::optional<double> finite(double value)
{
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string bound_text(const std::optional<double> &bound, const char *none)
{
    return bound ? fmt::format("{:+.3g}", *bound) : none;
}

// Returns what is known of the figures with this verdict.
std::string known_of(const std::vector<JudgedFigure> &figures, GateVerdict verdict)
{
    return joined(
        figures,
        [verdict](const JudgedFigure &one) -> std::string {
            const GateFigure &figure = one.figure;
            if (one.verdict != verdict)
                return {};
            const std::string allowed =
                fmt::format("{:g} {} allowed", figure.margin, unit_of(figure));
            switch (verdict) {
            case GateVerdict::not_slower:
                return fmt::format("{} by {} at most, {}", figure.name, bound_text(one.high, "?"),
                                   allowed);
            case GateVerdict::slower:
                return fmt::format("{} by {} at least, {}", figure.name, bound_text(one.low, "?"),
                                   allowed);
            case GateVerdict::cannot_tell:
                break;
            }
            return fmt::format("{} by {} to {}, {}", figure.name, bound_text(one.low, "anything"),
                               bound_text(one.high, "anything"), allowed);
        },
        "; ");
}

} // namespace

Gate::Gate(const GateFigures &figures, double error_percent)
{
    const double error = error_percent / 100;
    for (const GateFigure &figure : figures) {
        figures_.push_back({figure});
        bounds_.emplace_back(error / static_cast<double>(figures.size()), error);
    }
}

void Gate::feed(const nlohmann::ordered_json &baseline, const nlohmann::ordered_json &candidate)
{
    std::vector<GatePair> values;
    for (const JudgedFigure &one : figures_)
        values.push_back({value_of(one.figure, baseline), value_of(one.figure, candidate)});
    feed(values);
}

void Gate::feed(const std::vector<GatePair> &values)
{
    rounds_++;
    for (std::size_t i = 0; i < figures_.size(); i++) {
        JudgedFigure &one = figures_[i];
        MedianBounds &bounds = bounds_[i];
        one.rounds.push_back(values.at(i));
        const auto [baseline, candidate] = values.at(i);
        const std::optional<double> worse = difference(one.figure, baseline, candidate);
        if (!worse)
            continue;
        bounds.add(*worse);
        one.median = finite(summarize(bounds.sorted()).median);
        one.low = finite(bounds.low());
        one.high = finite(bounds.high());
        if (one.verdict != GateVerdict::cannot_tell)
            continue;
        if (bounds.low() > one.figure.margin)
            one.verdict = GateVerdict::slower;
        else if (bounds.high() <= one.figure.margin)
            one.verdict = GateVerdict::not_slower;
        if (one.verdict != GateVerdict::cannot_tell)
            one.decided_in = rounds_;
    }
}

GateVerdict Gate::verdict() const
{
    const auto is = [](GateVerdict verdict) {
        return [verdict](const JudgedFigure &one) { return one.verdict == verdict; };
    };
    if (std::ranges::any_of(figures_, is(GateVerdict::slower)))
        return GateVerdict::slower;
    return std::ranges::all_of(figures_, is(GateVerdict::not_slower)) ? GateVerdict::not_slower
                                                                      : GateVerdict::cannot_tell;
}

void conclude(GateResult &result, const Gate &gate, const std::string &end)
{
    result.figures = gate.figures();
    result.verdict = gate.verdict();
    result.why = known_of(result.figures, result.verdict);
    if (result.verdict == GateVerdict::cannot_tell)
        result.why = end + (result.rounds() == 0 ? "" : ": " + result.why);
}

static void fields(Fields &row, GatePair &pair)
{
    row.made("baseline", pair.baseline, "the baseline's value; null: no query was answered");
    row.made("candidate", pair.candidate, "the candidate's value");
}

static void fields(Fields &row, JudgedFigure &one)
{
    const FieldForm is_signed{.is_signed = true};
    row("figure", one.figure.name,
        "share: percent of the queries that were answered right in time; others: the field of "
        "dnsgauge/trial/1's rtt_ns");
    row.made("unit", std::string(unit_of(one.figure)),
             "of the margin and of the differences: percentage points, or percent of the "
             "baseline's value",
             {.pattern = "^(points|%)$"});
    row.made("margin", one.figure.margin, "how much worse the candidate may be");
    row.made("median_difference", one.median,
             "the median of the rounds' differences, above 0 where the candidate is worse; null: "
             "there is none, or it is infinite",
             is_signed);
    row.made("low", one.low,
             "the median difference is at least this, as far as the rounds show; null: not bounded",
             is_signed);
    row.made("high", one.high, "likewise at most this", is_signed);
    row.word("verdict", one.verdict, gate_verdicts,
             "slower: low is above the margin; not slower: high is not");
    row.made("decided_in", one.decided_in, "the round that decided that; 0: none did");
    row.list("rounds", one.rounds, "the values, nanoseconds or percent, by round");
}

void fields(Fields &row, GateResult &result)
{
    row.form("gate",
             "Whether a server is slower than another one. dnsgauge gate --json writes it.");
    row("command", result.command, "the command line");
    row("baseline", result.baseline, "the command that started the baseline, or files of results");
    row("candidate", result.candidate, "likewise of the candidate");
    row("made_trials", result.has_trials,
        "whether commands started the servers for trials; false: the trials are from files, paired "
        "in their order");
    row("seed", result.seed,
        "of the generator (std::mt19937_64) whose lowest bits order the rounds; null: there was "
        "none");
    row("first", result.first, "which server had its trial first, by round: baseline, candidate");
    row.made(
        "error_percent", result.error_percent,
        "the most probable share of wrong verdicts, each for itself: of slower where no figure "
        "is worse by more than its margin, and of not slower where one is");
    row("spent_s", result.spent, "seconds that it took");
    row("invalid_trials", result.invalid_trials,
        "trials that told nothing; their rounds were made again");
    row.word("verdict", result.verdict, gate_verdicts,
             "slower: one figure is; not slower: no figure is");
    row("why", result.why, "the reason of the verdict, in words");
    row.list("figures", result.figures, "the figures that were judged");
    row("doubts", result.doubts,
        "what else may have had a part in the figures, each with its trial's number");
    row.object("circumstances", result.circumstances,
               "the conditions of the last trial; null: no trial was made");
}

} // namespace dnsgauge
