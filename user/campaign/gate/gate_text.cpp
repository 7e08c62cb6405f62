// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gate/gate.h"

#include "stats/summary.h"
#include "text/figure_text.h"
#include "text/table.h"
#include "userland/counted.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dnsgauge
{

namespace
{

std::string median_text(const JudgedFigure &one, std::optional<double> GatePair::*side)
{
    std::vector<double> values;
    for (const GateRound &round : one.rounds)
        if (round.values.*side)
            values.push_back(*(round.values.*side));
    if (values.empty())
        return "-";
    const double median = summarize(values).median;
    if (is_rate(one.figure))
        return fmt::format("{:.0f}/s", median);
    return is_share(one.figure) ? percent_text(median) + " %" : duration_text(median);
}

std::string signed_text(const JudgedFigure &one, const std::optional<double> &value)
{
    return value ? fmt::format("{:+.3g} {}", *value, unit_of(one.figure)) : "-";
}

} // namespace

std::string to_text(const GateResult &result)
{
    const std::string error =
        result.verdict == GateVerdict::cannot_tell
            ? std::string()
            : fmt::format("; wrong in {:g} % of such cases at most", result.error_percent);
    return fmt::format("gate: {}: {} ({}, {:.0f} s{})", gate_verdicts.text_of(result.verdict),
                       result.why, counted(result.rounds(), "round"), seconds(result.spent), error);
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
                              median_text(one, &GatePair::candidate), signed_text(one, one.median),
                              signed_text(one, one.low), signed_text(one, one.high),
                              signed_text(one, one.figure.margin),
                              gate_verdicts.text_of(one.verdict)});
    if (!result.doubts.empty())
        table.notes = {doubts_text(result)};
    return render(table, TableForm::markdown);
}

// The form fits the schema of Ant's JUnit task, which wants most, and the schema of Jenkins' xUnit
// plugin.
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
    suite.put(attribute("timestamp"),
              fmt::format("{:%Y-%m-%dT%H:%M:%S}",
                          fmt::gmtime(std::chrono::system_clock::to_time_t(ended))));
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
