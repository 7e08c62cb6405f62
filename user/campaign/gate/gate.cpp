// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gate/gate.h"

#include "record/machine_fields.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/utc_text.h"
#include "text/figure_text.h"
#include "text/table.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace dnsgauge
{

namespace
{

// Returns what the rounds show about the figure's difference. If the figure has a verdict, a
// missing bound is infinite.
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

// Returns what is known about the figures with this verdict.
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

std::string median_text(const JudgedFigure &one, std::optional<double> GatePair::*side)
{
    std::vector<GatePair> values;
    for (const GateRound &round : one.rounds)
        values.push_back(round.values);
    const std::optional<double> found = median_of(values, side);
    if (!found)
        return "-";
    const double median = *found;
    if (is_rate(one.figure))
        return fmt::format("{:.0f}/s", median);
    return is_share(one.figure) ? percent_text(median) + " %" : duration_text(median);
}

std::string worse_text(const JudgedFigure &one, const std::optional<double> &value)
{
    return value ? fmt::format("{} {}", signed_text(*value), unit_of(one.figure)) : "-";
}

} // namespace

Gate::Gate(const GateFigures &figures, double error_percent) : error_percent_(error_percent)
{
    const double error = error_percent / 100;
    for (const GateFigure &figure : figures) {
        figures_.push_back({{}, figure});
        bounds_.emplace_back(error / static_cast<double>(figures.size()), error);
    }
}

void Gate::feed(const nlohmann::ordered_json &baseline, const nlohmann::ordered_json &candidate)
{
    std::vector<GatePair> values;
    for (const JudgedFigure &one : figures_)
        values.push_back({value_of(one.figure, baseline), value_of(one.figure, candidate)});
    feed(values);
    probe_.feed(baseline, candidate);
}

void Gate::feed(const std::vector<GatePair> &values)
{
    rounds_++;
    for (std::size_t i = 0; i < figures_.size(); i++) {
        JudgedFigure &one = figures_[i];
        MedianBounds &bounds = bounds_[i];
        const auto [baseline, candidate] = values.at(i);
        const std::optional<double> worse = difference(one.figure, baseline, candidate);
        if (worse)
            bounds.add(*worse);
        const KnownDifference known =
            bounds.sorted().empty() ? KnownDifference{} : known_by(bounds);
        const bool is_finite = worse && std::isfinite(*worse);
        one.rounds.push_back(
            {values.at(i), is_finite ? worse : std::nullopt, known.low, known.high});
        // A verdict stays, and so does what it rests on.
        if (!worse || one.verdict != GateVerdict::cannot_tell)
            continue;
        static_cast<KnownDifference &>(one) = known;
        if (bounds.low() > one.figure.margin)
            one.verdict = GateVerdict::slower;
        else if (bounds.high() <= one.figure.margin)
            one.verdict = GateVerdict::not_slower;
        else
            continue;
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

bool Gate::needs_rounds() const
{
    return verdict() == GateVerdict::cannot_tell || probe_.needs_rounds(error_percent_);
}

void conclude(GateResult &result, const Gate &gate, const std::string &end)
{
    result.figures = gate.figures();
    result.probe = gate.probe();
    result.verdict = gate.verdict();
    result.why = known_of(result.figures, result.verdict);
    if (result.verdict == GateVerdict::cannot_tell)
        result.why = end + (result.rounds() == 0 ? "" : ": " + result.why);
}

static void fields(Fields &row, GateRound &round)
{
    row.made("baseline", round.values.baseline,
             "the baseline's value; null: no query was answered");
    row.made("candidate", round.values.candidate, "the candidate's value");
    row.made("difference", round.difference,
             "by how much the candidate is worse; null: infinite, or none", is_signed);
    row.made("low", round.low, "the lower bound after this round; null: not bounded", is_signed);
    row.made("high", round.high, "the upper bound after this round; null: not bounded", is_signed);
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
    fields_of(row, one,
              "the median of the rounds' differences until the verdict, above 0 where the "
              "candidate is worse; null: there is none, or it is infinite");
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
    row("candidate", result.candidate,
        "the command that started the candidate, or files of results");
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
    row.object("probe", result.probe,
               "what a probe saw on the server's machine, which decided nothing; error_percent is "
               "the probability that a low bound of any stage is ever wrong, and the same for high "
               "bounds and for fates",
               sometimes);
    row("doubts", result.doubts,
        "what else may have had a part in the figures, each with its trial's number");
    row.object("circumstances", result.circumstances,
               "the conditions of the last trial; null: no trial was made");
}

std::string to_text(const GateResult &result)
{
    const std::string error =
        result.verdict == GateVerdict::cannot_tell
            ? std::string()
            : fmt::format("; wrong in {:g} % of such cases at most", result.error_percent);
    return fmt::format("gate: {}: {} ({}, {:.0f} s{})", gate_verdicts.text_of(result.verdict),
                       result.why, counted(result.rounds(), "round"), seconds(result.spent), error);
}

std::string probe_text(const GateResult &result)
{
    if (!result.probe)
        return {};
    return to_text(*result.probe);
}

std::string doubts_text(const GateResult &result)
{
    if (result.doubts.empty())
        return {};
    return fmt::format("{}{}: {}", counted(result.doubts.size(), "doubt"),
                       result.doubts.size() == 1 ? "" : ", the first", result.doubts.front());
}

std::string to_markdown(const GateResult &result)
{
    Table table;
    table.caption = to_text(result);
    table.heads = {{"figure", "baseline", "candidate", "worse by", "at least", "at most", "allowed",
                    "verdict"}};
    for (const JudgedFigure &one : result.figures)
        table.rows.push_back({one.figure.name, median_text(one, &GatePair::baseline),
                              median_text(one, &GatePair::candidate), worse_text(one, one.median),
                              worse_text(one, one.low), worse_text(one, one.high),
                              worse_text(one, one.figure.margin),
                              gate_verdicts.text_of(one.verdict)});
    if (!result.doubts.empty())
        table.notes = {doubts_text(result)};
    const std::string seen = result.probe ? '\n' + to_markdown(*result.probe) : std::string();
    return render(table, TableForm::markdown) + seen;
}

// The form fits the schema of Ant's JUnit task, which is the strictest, and the schema of Jenkins'
// xUnit plugin.
std::string to_junit(const GateResult &result, const std::string &host,
                     std::chrono::system_clock::time_point ended)
{
    using boost::property_tree::ptree;
    ptree suite;
    const auto count = [&](GateVerdict verdict) {
        return std::ranges::count(result.figures, verdict, &JudgedFigure::verdict);
    };
    const auto attribute = [](const char *name) { return std::string("<xmlattr>.") + name; };
    const std::string took = fmt::format("{:.3f}", seconds(result.spent));
    suite.put(attribute("name"), "dnsgauge gate");
    suite.put(attribute("timestamp"), utc_text(ended));
    suite.put(attribute("hostname"), host);
    suite.put(attribute("tests"), result.figures.size());
    suite.put(attribute("failures"), count(GateVerdict::slower));
    suite.put(attribute("errors"),
              result.verdict == GateVerdict::cannot_tell ? count(GateVerdict::cannot_tell) : 0);
    suite.put(attribute("time"), took);
    suite.put("properties", "");
    for (const JudgedFigure &one : result.figures) {
        ptree &test = suite.add("testcase", "");
        test.put(attribute("classname"), "dnsgauge.gate");
        test.put(attribute("name"), one.figure.name);
        test.put(attribute("time"), took); // all figures are judged by the same rounds
        const char *found = nullptr;
        if (one.verdict == GateVerdict::slower)
            found = "failure";
        else if (result.verdict == GateVerdict::cannot_tell && one.decided_in == 0)
            found = "error";
        if (found == nullptr)
            continue;
        ptree &problem = test.put(found, "");
        problem.put(attribute("type"), gate_verdicts.text_of(one.verdict));
        problem.put(attribute("message"), to_text(result));
    }
    suite.put("system-out", to_text(result));
    suite.put("system-err", doubts_text(result));
    ptree document;
    document.add_child("testsuite", suite);
    std::ostringstream text;
    boost::property_tree::write_xml(text, document,
                                    boost::property_tree::xml_writer_settings<std::string>(' ', 2));
    return text.str();
}

} // namespace dnsgauge
