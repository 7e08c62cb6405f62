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

// Returns what the rounds show of the figure's difference. A bound of a figure with a verdict is
// missing if it is infinite.
std::string known_of(const JudgedFigure &one)
{
    const auto text = [&](double bound) { return difference_text(one.figure, bound); };
    switch (one.verdict) {
    case GateVerdict::slower:
        return one.low ? "at least " + text(*one.low)
                       : "is missing, because the candidate answers nothing";
    case GateVerdict::not_slower:
        if (!one.high)
            return "is missing in the baseline, which answers nothing";
        return *one.high < 0 ? "at least " + text(*one.high) : "at most " + text(*one.high);
    case GateVerdict::cannot_tell:
        break;
    }
    if (one.low && one.high)
        return fmt::format("from {} to {}", text(*one.low), text(*one.high));
    return "not known yet";
}

// Returns what is known of the figures with this verdict.
std::string known_of(const std::vector<JudgedFigure> &figures, GateVerdict verdict)
{
    return joined(
        figures,
        [verdict](const JudgedFigure &one) -> std::string {
            if (one.verdict != verdict)
                return {};
            return fmt::format("{} {}, {} allowed", one.figure.name, known_of(one),
                               amount_text(one.figure, one.figure.margin));
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
        const auto [baseline, candidate] = values.at(i);
        const std::optional<double> worse = difference(one.figure, baseline, candidate);
        one.rounds.push_back({.values = values.at(i), .low = one.low, .high = one.high});
        if (!worse)
            continue;
        bounds.add(*worse);
        one.median = finite(summarize(bounds.sorted()).median);
        one.low = finite(bounds.low());
        one.high = finite(bounds.high());
        one.rounds.back().difference = finite(*worse);
        one.rounds.back().low = one.low;
        one.rounds.back().high = one.high;
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

constexpr FieldForm is_signed{.is_signed = true};

static void fields(Fields &row, GateRound &round)
{
    row.made("baseline", round.values.baseline,
             "the baseline's value; null: no query was answered");
    row.made("candidate", round.values.candidate, "the candidate's value");
    row.made("difference", round.difference,
             "by how much the candidate is worse; null: infinite, or none", is_signed);
    row.made("low", round.low, "the bounds after this round; null: not bounded", is_signed);
    row.made("high", round.high, "likewise", is_signed);
}

static void fields(Fields &row, JudgedFigure &one)
{
    row("figure", one.figure.name,
        "share: percent of the queries that were answered right in time; rate: dnsgauge/trial/1's "
        "window.answered_rate; others: the field of its rtt_ns");
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
    row.list("rounds", one.rounds,
             "the values by round (percent, queries per second, or nanoseconds), and what was "
             "known then");
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
