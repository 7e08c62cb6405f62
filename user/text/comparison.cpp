// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/comparison.h"

#include "record/json.h"
#include "record/json_text.h"
#include "result/labels.h"
#include "result/probe_result.h"
#include "stats/summary.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "text/figure_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

struct Figure {
    std::string name;
    std::string path; // JSON pointer of the field; empty for the whole result
    // Returns the text of the field; figure_text() does so if missing.
    std::function<std::string(const Json &)> text{};
    // The row is left out if all results have this text. A null or missing field, as in results of
    // older versions, counts as this text.
    std::optional<std::string> usual{};

    [[nodiscard]] std::string text_of(const Json &result) const
    {
        const Json::json_pointer at(path);
        if (usual && (!result.contains(at) || result.at(at).is_null()))
            return *usual;
        const Json &field = result.at(at);
        if (text)
            return text(field);
        return field.is_string() ? plain_text(field) : figure_text(path, field);
    }
};

using Figures = std::vector<Figure>;
using Results = std::vector<NamedResult>;
using Trials = std::vector<const Json *>;

std::string accepted(const Json &percent)
{
    return fmt::format("{:.9g} %", percent.get<double>());
}

std::string range(const Json &result)
{
    const std::string least = figure_text("", result.at("min_rate"));
    const std::string most = figure_text("", result.at("max_rate"));
    return least == most ? most : least + " to " + most;
}

// A self-test accepts no loss. Results of older versions lack the field rfc8219.
std::string compliance(const Json &result)
{
    const auto said = result.find("rfc8219");
    const bool deviates = said != result.end() ? !said->at("compliant").get<bool>()
                                               : result.value("accept_percent", 100.0) < 100;
    if (deviates)
        return "not compliant";
    return said != result.end() ? "" : "not told";
}

// Returns "220 lost, 3 late".
std::string stall_costs(const Json &stalls)
{
    const auto sum = [&stalls](const char *what) {
        return whole_number(stalls.at("tester").at(what)) +
               whole_number(stalls.at("server").at(what));
    };
    const auto lost = sum("lost");
    const auto late = sum("late");
    return lost + late == 0 ? "" : fmt::format("{} lost, {} late", lost, late);
}

// Returns the deviations and the doubts of the results.
std::vector<std::string> notes(const std::vector<NamedResult> &results)
{
    std::vector<std::pair<std::string, std::string>> said; // label, whose
    for (const NamedResult &result : results) {
        const Json compliance = result.result->value("rfc8219", Json::object());
        const std::string label =
            compliance_label(plain_texts(compliance.value("deviations", Json::array())));
        if (label.empty())
            continue;
        const auto same = std::ranges::find(said, label, &decltype(said)::value_type::first);
        if (same == said.end())
            said.emplace_back(label, result.name);
        else
            same->second += ", " + result.name;
    }
    std::vector<std::string> notes;
    for (const auto &[label, names] : said)
        notes.push_back(fmt::format("{}: {}.", names, label));
    for (const NamedResult &result : results)
        for (const std::string &doubt : plain_texts(result.result->value("doubts", Json::array())))
            notes.push_back(fmt::format("{}, doubt: {}.", result.name, doubt));
    return notes;
}

// Returns the middle value, followed by least and greatest in parentheses if these differ.
std::string spread(const std::string &middle, const std::string &least, const std::string &most)
{
    return least == most ? middle : fmt::format("{} ({} to {})", middle, least, most);
}

// Returns the band of the values in the same form, with `middle` as the middle value; "-" without
// values. `unit` is the end of a field's name.
std::string band_text(const std::vector<double> &values, const char *unit, double Band::*middle)
{
    const std::optional<Band> band = band_of(values);
    if (!band)
        return "-";
    const auto text = [unit](double value) { return figure_text(unit, value); };
    return spread(text(*band.*middle), text(band->min), text(band->max));
}

// Returns the rows for what a trial was asked to do. `any` is one of the results, and `trial` the
// path of the trial in it.
Figures request_figures(const Json &any, const std::string &trial)
{
    const Figure timeout{"timeout", trial + "/timeout_s"};
    return {{"server", trial + "/server"},
            {"queries/s", trial + "/rate"},
            {"transport", trial + "/transport", {}, "udp"},
            {timeout.name, timeout.path, {}, timeout.text_of(any)},
            {"accepted", trial + "/accept_percent", accepted, "100 %"},
            {"order of names", trial + "/name_order", {}, "ascending"},
            {"catching up", trial + "/catch_up",
             [](const Json &factor) {
                 return fmt::format("at {:g} times the rate", factor.get<double>());
             },
             ""},
            {"loosened rules", trial + "/judged/accepted",
             [](const Json &rules) { return join(plain_texts(rules), ", "); }, ""}};
}

// Returns the rows, followed by the caveats of a result.
Figures with_caveats(Figures figures, bool is_judged = true)
{
    if (is_judged)
        figures.push_back({"RFC 8219", "", compliance, ""});
    figures.push_back({"self-test", "/selftest/covers",
                       [](const Json &covers) { return covers.get<bool>() ? "covered" : "beyond"; },
                       ""});
    return figures;
}

void append(Figures &figures, const Figures &more)
{
    figures.insert(figures.end(), more.begin(), more.end());
}

// Returns a row for the median and for the 99th percentile of each stage of a probe. `trials_of`
// returns the trials of a result. Several trials have a band; `middle` is its middle value.
Figures stage_figures(Trials (*trials_of)(const Json &result), double Band::*middle)
{
    Figures figures;
    std::vector<std::pair<const char *, const char *>> told{{"wire_ns", "wire"}};
    for (const Stage &stage : stages)
        told.emplace_back(stage.key, stage.label);
    for (const auto &[key, label] : told)
        for (const auto &[name, member] : {std::pair{"median", "p50"}, std::pair{"p99", "p99"}}) {
            const auto figure = Json::json_pointer("/probe") / key / member;
            figures.push_back({fmt::format("stage {} {}", label, name), "",
                               [=](const Json &result) {
                                   std::vector<double> values;
                                   for (const Json *trial : trials_of(result))
                                       if (trial->contains(figure) && !trial->at(figure).is_null())
                                           values.push_back(trial->at(figure).get<double>());
                                   return band_text(values, "_ns", middle);
                               },
                               "-"});
        }
    return figures;
}

// Returns a row for each fate of queries. The other arguments are as above.
Figures fate_figures(const Results &results, Trials (*trials_of)(const Json &result),
                     double Band::*middle)
{
    std::vector<std::pair<std::string, Json::json_pointer>> fates;
    const auto add = [&fates](const std::string &name, const Json::json_pointer &path) {
        if (std::ranges::find(fates, path, &decltype(fates)::value_type::second) == fates.end())
            fates.emplace_back(name, path);
    };
    const Json::json_pointer probe("/probe");
    for (const auto &[member, name] : {std::pair{"followed", "followed"},
                                       {"dropped", "dropped: "},
                                       {"unread", "unread"},
                                       {"unanswered", "unanswered"},
                                       {"dropped_replies", "reply dropped: "},
                                       {"left", "reply left"},
                                       {"late", "late: "}})
        for (const NamedResult &result : results)
            for (const Json *trial : trials_of(*result.result)) {
                const auto path = probe / member;
                const Json counted = trial->contains(path) ? trial->at(path) : Json(0);
                if (counted.is_object())
                    for (const auto &[reason, count] : counted.items()) {
                        if (count != 0)
                            add(name + reason, path / reason);
                    }
                else if (counted != 0)
                    add(name, path);
            }
    Figures figures;
    for (const auto &fate : fates)
        figures.push_back({fate.first, "", [=, path = fate.second](const Json &result) {
                               std::vector<double> counts;
                               for (const Json *trial : trials_of(result))
                                   if (trial->contains(path.parent_pointer()))
                                       counts.push_back(trial->value(path, 0.0));
                               return band_text(counts, "", middle);
                           }});
    return figures;
}

// Returns the trials of a result, without invalid ones.
Trials telling_trials(const Json &result)
{
    Trials telling;
    for (const Json &trial : result.at("trials"))
        if (trial.value("verdict", Json()) != "invalid")
            telling.push_back(&trial);
    return telling;
}

Trials the_trial(const Json &result)
{
    return {&result};
}

Figures trial_figures(const Results &results)
{
    Figures figures = request_figures(*results.front().result, "");
    append(figures, {{"sent", "/sent"},
                     {"valid", "/valid"},
                     {"late", "/late"},
                     {"invalid", "/invalid/total"},
                     {"lost", "/lost"},
                     {"of these by stalls", "/stalls", stall_costs, ""},
                     {"RTT median", "/rtt_ns/p50"},
                     {"RTT p99", "/rtt_ns/p99"},
                     {"RTT max", "/rtt_ns/max"}});
    append(figures, stage_figures(the_trial, &Band::median));
    append(figures, fate_figures(results, the_trial, &Band::median));
    append(figures, {{"late sends p99", "/sending/lateness_ns/p99"}, {"verdict", "/verdict"}});
    return with_caveats(figures);
}

Figures trials_figures(const Results &results)
{
    Figures figures = request_figures(*results.front().result, "/trials/0");
    const auto add_spread = [&figures](const char *name, const char *path, const char *unit) {
        figures.push_back({name, path, [unit](const Json &its) {
                               const auto text = [&](const char *figure) {
                                   return figure_text(unit, its.at(figure));
                               };
                               return spread(text("median"), text("min"), text("max"));
                           }});
    };
    figures.push_back({"trials", "", [](const Json &r) {
                           return fmt::format("{} of {}", whole_number(r.at("spread").at("trials")),
                                              whole_number(r.at("repeat")));
                       }});
    add_spread("answered %", "/spread/answered_percent", "");
    add_spread("RTT median", "/spread/rtt_ns/p50", "_ns");
    add_spread("RTT p99", "/spread/rtt_ns/p99", "_ns");
    add_spread("RTT max", "/spread/rtt_ns/max", "_ns");
    append(figures, stage_figures(telling_trials, &Band::median));
    append(figures, fate_figures(results, telling_trials, &Band::median));
    figures.push_back({"verdict", "/verdict"});
    return with_caveats(figures);
}

// Returns what a search found. If all of the range passed, the highest rate is a lower bound. If
// the first search was cut short, the rates that passed and failed are bounds.
std::string median(const Json &result)
{
    const auto text = [](const Json &rate) { return figure_text("", rate); };
    if (const Json bound = result.value("at_least", Json()); !bound.is_null())
        return ">= " + text(bound);
    const Json &found = result.at("statistics").at("median");
    const Json searches = result.value("repetitions", Json::array());
    if (!found.is_null() || searches.empty())
        return text(found);
    const Json passed = searches.back().value("highest_passed", Json());
    const Json failed = searches.back().value("lowest_failed", Json());
    if (!passed.is_null() && !failed.is_null())
        return text(passed) + ".." + text(failed);
    if (!passed.is_null())
        return ">= " + text(passed);
    return failed.is_null() ? text(found) : "< " + text(failed);
}

Figures search_figures(const Results & /*results*/)
{
    return with_caveats(
        {{"server", "/server"},
         {"transport", "/options/transport", {}, "udp"},
         {"range", "", range},
         {"resolution", "/resolution", {}, "1"},
         {"accepted", "/accept_percent", accepted, "100 %"},
         {"searches", "",
          [](const Json &r) {
              return fmt::format("{} of {}", whole_number(r.at("statistics").at("count")),
                                 whole_number(r.at("repeat")));
          }},
         {"median", "", median},
         {"1st percentile", "/statistics/p1"},
         {"99th percentile", "/statistics/p99"},
         {"dispersion %", "/statistics/dispersion_percent",
          [](const Json &percent) {
              return percent.is_null() ? "-" : fmt::format("{:.2f}", percent.get<double>());
          }},
         {"trials", "/trials_made"},
         {"invalid trials", "/invalid_trials", {}, "0"},
         {"end", "/end"}});
}

Figures selftest_figures(const Results & /*results*/)
{
    return {{"FakeDNS at", "/server"},       {"transport", "/setup/transport", {}, "udp"},
            {"asked for", "", range},        {"allowed", "/allowed_rate"},
            {"passed", "/passed_rate"},      {"timeout", "/timeout_s"},
            {"trials of", "/duration_s"},    {"end", "/end"},
            {"RFC 8219", "", compliance, ""}};
}

// Returns the mean of a field of the runs, times `factor`, with least and greatest in parentheses
// if runs differ. `unit` is the end of a field's name.
std::string over_runs(const Json &runs, const char *path, const char *unit, double factor)
{
    std::vector<double> values;
    for (const Json &run : runs)
        if (const Json &value = run.at(Json::json_pointer(path)); !value.is_null())
            values.push_back(factor * value.get<double>());
    return band_text(values, unit, &Band::mean);
}

std::string mean_rcodes(const Json &bands)
{
    return joined(bands.items(), [](const auto &band) {
        return band.key() + " " + percent_text(band.value().at("mean").template get<double>());
    });
}

Figures replay_figures(const Results &results)
{
    const auto runs = [](const char *name, const char *path, const char *unit, double factor = 1) {
        return Figure{name, "/trials",
                      [=](const Json &its) { return over_runs(its, path, unit, factor); }};
    };
    const auto slower = [&runs](const char *name, const char *path) {
        return runs(name, path, "_percent", 100);
    };
    Figures figures = {
        {"server", "/server"},
        {"captures at once", "/captures/played"},
        {"queries of a run", "/captures/queries"},
        {"seconds of a run", "/duration_s", [](const Json &time) { return figure_text("", time); }},
        {"timeout", "/timeout_s"},
        {"runs", "",
         [](const Json &r) {
             return fmt::format("{} of {}", r.at("trials").size(),
                                whole_number(r.at("runs_wanted")));
         }},
        runs("answered %", "/answered_percent", "_percent"),
        {"RCODEs %", "/bands/rcode_percent", mean_rcodes},
        {"latency since", "/since_s"},
        runs("RTT median", "/later_part/rtt_p50_ns", "_ns"),
        runs("RTT p99", "/later_part/rtt_p99_ns", "_ns"),
        slower("% slower than 1 ms", "/later_part/slower_than_1ms"),
        slower("% slower than 10 ms", "/later_part/slower_than_10ms"),
        slower("% slower than 100 ms", "/later_part/slower_than_100ms"),
        slower("% slower than 1 s", "/later_part/slower_than_1s"),
        slower("% unanswered", "/later_part/unanswered")};
    append(figures, stage_figures(telling_trials, &Band::mean));
    append(figures, fate_figures(results, telling_trials, &Band::mean));
    figures.push_back({"end", "/end", {}, "complete"});
    return with_caveats(figures, false);
}

Figures probe_figures(const Results &results)
{
    Figures figures = {{"interface", "/probe/interface"},
                       {"port", "/probe/port"},
                       {"% followed", "/probe/share_percent"},
                       {"time", "/probe/duration_ns"},
                       {"arrived", "/probe/arrived"}};
    append(figures, fate_figures(results, the_trial, &Band::median));
    append(figures, stage_figures(the_trial, &Band::median));
    return figures;
}

// A kind of result that can be compared.
struct Kind {
    const char *schema; // or the kind of a series
    const char *name;
    Figures (*figures)(const Results &results);
};

constexpr std::array kinds = {Kind{"dnsgauge/trial/1", "a trial", trial_figures},
                              Kind{"dnsgauge/trials/1", "repeated trials", trials_figures},
                              Kind{"search", "a search", search_figures},
                              Kind{"dnsgauge/selftest/1", "a self-test", selftest_figures},
                              Kind{"replay", "a replay", replay_figures},
                              Kind{"dnsgauge/probe/1", "a probe", probe_figures}};

const Kind *kind_of(const Json &result)
{
    if (!result.is_object())
        return nullptr;
    const Json schema = result.value("schema", Json());
    const std::string series = series_kind(result);
    const auto *const found = std::ranges::find_if(
        kinds, [&](const Kind &kind) { return schema == kind.schema || series == kind.schema; });
    return found == kinds.end() ? nullptr : found;
}

} // namespace

bool is_comparable(const Json &result)
{
    return kind_of(result) != nullptr;
}

std::string compare(const std::vector<NamedResult> &results, TableForm form)
{
    const Kind &kind = *kind_of(*results.front().result);
    for (const NamedResult &result : results)
        if (const Kind &other = *kind_of(*result.result); &other != &kind)
            throw SetupError("{} is the result of {}, {} the result of {}: compare results "
                             "of one kind",
                             results.front().name, kind.name, result.name, other.name);
    Table table;
    table.heads.push_back({""});
    for (const NamedResult &result : results)
        table.heads.back().push_back(result.name);
    for (const Figure &figure : kind.figures(results)) {
        Table::Row texts;
        for (const NamedResult &result : results)
            texts.push_back(figure.text_of(*result.result));
        if (std::ranges::all_of(texts, [&](const auto &text) { return text == figure.usual; }))
            continue;
        table.rows.push_back({figure.name});
        table.rows.back().insert(table.rows.back().end(), texts.begin(), texts.end());
    }
    table.notes = notes(results);
    // CSV has no place for notes.
    if (const Json caveat = results.front().result->value("caveat", Json()); caveat.is_string()) {
        if (form == TableForm::csv)
            table.rows.push_back({"caveat", plain_text(caveat)});
        table.notes.push_back(plain_text(caveat));
    }
    return render(table, form);
}

} // namespace dnsgauge
