// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/comparison.h"

#include "record/json_text.h"
#include "record/series_json.h"
#include "result/labels.h"
#include "stats/summary.h"
#include "text/duration_text.h"
#include "text/percent_text.h"
#include "text/search_text.h"
#include "text/table.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

struct Figure {
    const char *name;
    std::function<std::string(const Json &)> text;
    // The row is left out where all results have this text.
    std::optional<std::string> usual{};
};

using Figures = std::vector<Figure>;

std::string count(const Json &value)
{
    return value.is_null() ? "-" : fmt::format("{}", whole_number(value));
}

std::string rate(const Json &value)
{
    return value.is_null() ? "-" : fmt::format("{:.10g}", value.get<double>());
}

std::string duration(const Json &value)
{
    return value.is_null() ? "-" : duration_text(value.get<double>());
}

std::string seconds_of(const Json &value)
{
    return fmt::format("{:g} s", value.get<double>());
}

std::string timeout(const Json &result)
{
    return fmt::format("{:g} s", result.at("timeout_s").get<double>());
}

std::string accepted(const Json &result)
{
    return fmt::format("{:.9g} %", result.at("accept_percent").get<double>());
}

std::string range(const Json &result)
{
    const std::string least = count(result.at("min_rate"));
    const std::string most = count(result.at("max_rate"));
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

std::string selftest(const Json &result)
{
    const Json cover = result.value("selftest", Json());
    if (cover.is_null())
        return {};
    return cover.at("covers").get<bool>() ? "covered" : "beyond";
}

std::string name_order(const Json &result)
{
    return plain_text(result.value("name_order", Json("ascending")));
}

// Returns how many times the rate the Tester sent at most while it caught up.
std::string catch_up(const Json &result)
{
    const Json factor = result.value("catch_up", Json());
    return factor.is_null() ? "" : fmt::format("at {:g} times the rate", factor.get<double>());
}

// Returns which rules of the judge did not hold.
std::string loosened(const Json &result)
{
    std::string text;
    for (const std::string &rule :
         plain_texts(result.value("judged", Json::object()).value("accepted", Json::array())))
        text += (text.empty() ? "" : ", ") + rule;
    return text;
}

// Returns "220 lost, 3 late": what stalls cost the trial.
std::string stall_costs(const Json &result)
{
    const Json stalls = result.value("stalls", Json());
    if (stalls.is_null())
        return {};
    const auto sum = [&stalls](const char *what) {
        return whole_number(stalls.at("tester").at(what)) +
               whole_number(stalls.at("server").at(what));
    };
    const auto lost = sum("lost");
    const auto late = sum("late");
    return lost + late == 0 ? "" : fmt::format("{} lost, {} late", lost, late);
}

// Returns why results are not compliant, and what makes them doubtful.
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

// Return the rows for results of which `any` is one.
Figures trial_figures(const Json &any)
{
    return {
        {"server", [](const Json &r) { return plain_text(r.at("server")); }},
        {"queries/s", [](const Json &r) { return count(r.at("rate")); }},
        {"timeout", timeout, timeout(any)},
        {"accepted", accepted, "100 %"},
        {"order of names", name_order, "ascending"},
        {"catching up", catch_up, ""},
        {"loosened rules", loosened, ""},
        {"sent", [](const Json &r) { return count(r.at("sent")); }},
        {"valid", [](const Json &r) { return count(r.at("valid")); }},
        {"late", [](const Json &r) { return count(r.at("late")); }},
        {"invalid", [](const Json &r) { return count(r.at("invalid").at("total")); }},
        {"lost", [](const Json &r) { return count(r.at("lost")); }},
        {"of these by stalls", stall_costs, ""},
        {"RTT median", [](const Json &r) { return duration(r.at("rtt_ns").at("p50")); }},
        {"RTT p99", [](const Json &r) { return duration(r.at("rtt_ns").at("p99")); }},
        {"RTT max", [](const Json &r) { return duration(r.at("rtt_ns").at("max")); }},
        {"late sends p99",
         [](const Json &r) { return duration(r.at("sending").at("lateness_ns").at("p99")); }},
        {"verdict", [](const Json &r) { return plain_text(r.at("verdict")); }},
        {"RFC 8219", compliance, ""},
        {"self-test", selftest, ""},
    };
}

// Returns the median, with least and greatest in parentheses where trials differ.
std::string spread(const Json &value, std::string (*text)(const Json &))
{
    const std::string median = text(value.at("median"));
    const std::string least = text(value.at("min"));
    const std::string most = text(value.at("max"));
    return least == most ? median : fmt::format("{} ({} to {})", median, least, most);
}

Figures trials_figures(const Json &any)
{
    const auto first = [](const Json &r) -> const Json & { return r.at("trials").at(0); };
    const auto rtt = [](const char *name) {
        return [name](const Json &r) {
            return spread(r.at("spread").at("rtt_ns").at(name), duration);
        };
    };
    return {
        {"server", [=](const Json &r) { return plain_text(first(r).at("server")); }},
        {"queries/s", [=](const Json &r) { return count(first(r).at("rate")); }},
        {"timeout", [=](const Json &r) { return timeout(first(r)); }, timeout(first(any))},
        {"accepted", [=](const Json &r) { return accepted(first(r)); }, "100 %"},
        {"order of names", [=](const Json &r) { return name_order(first(r)); }, "ascending"},
        {"catching up", [=](const Json &r) { return catch_up(first(r)); }, ""},
        {"loosened rules", [=](const Json &r) { return loosened(first(r)); }, ""},
        {"trials",
         [](const Json &r) {
             return fmt::format("{} of {}", count(r.at("spread").at("trials")),
                                count(r.at("repeat")));
         }},
        {"answered %",
         [](const Json &r) { return spread(r.at("spread").at("answered_percent"), rate); }},
        {"RTT median", rtt("p50")},
        {"RTT p99", rtt("p99")},
        {"RTT max", rtt("max")},
        {"verdict", [](const Json &r) { return plain_text(r.at("verdict")); }},
        {"RFC 8219", compliance, ""},
        {"self-test", selftest, ""},
    };
}

// Returns what a search found. Where all of the range passed, the highest rate is a lower bound.
// Where the first search was cut short, what passed and failed are bounds.
std::string median(const Json &result)
{
    if (const Json bound = result.value("at_least", Json()); !bound.is_null())
        return ">= " + count(bound);
    const Json &found = result.at("statistics").at("median");
    const Json searches = result.value("repetitions", Json::array());
    if (!found.is_null() || searches.empty())
        return rate(found);
    const Json passed = searches.back().value("highest_passed", Json());
    const Json failed = searches.back().value("lowest_failed", Json());
    if (!passed.is_null() && !failed.is_null())
        return count(passed) + ".." + count(failed);
    if (!passed.is_null())
        return ">= " + count(passed);
    return failed.is_null() ? rate(found) : "< " + count(failed);
}

Figures search_figures(const Json & /*any*/)
{
    const auto statistic = [](const char *name) {
        return [name](const Json &r) { return rate(r.at("statistics").at(name)); };
    };
    return {
        {"server", [](const Json &r) { return plain_text(r.at("server")); }},
        {"range", range},
        {"resolution", [](const Json &r) { return count(r.at("resolution")); }, "1"},
        {"accepted", accepted, "100 %"},
        {"searches",
         [](const Json &r) {
             return fmt::format("{} of {}", count(r.at("statistics").at("count")),
                                count(r.at("repeat")));
         }},
        {"median", median},
        {"1st percentile", statistic("p1")},
        {"99th percentile", statistic("p99")},
        {"dispersion %",
         [](const Json &r) {
             const Json value = r.at("statistics").at("dispersion_percent");
             return value.is_null() ? "-" : fmt::format("{:.2f}", value.get<double>());
         }},
        {"trials", [](const Json &r) { return count(r.at("trials_made")); }},
        {"invalid trials", [](const Json &r) { return count(r.value("invalid_trials", Json(0))); },
         "0"},
        {"end", [](const Json &r) { return plain_text(r.at("end")); }},
        {"RFC 8219", compliance, ""},
        {"self-test", selftest, ""},
    };
}

Figures selftest_figures(const Json & /*any*/)
{
    return {
        {"FakeDNS at", [](const Json &r) { return plain_text(r.at("server")); }},
        {"asked for", range},
        {"allowed", [](const Json &r) { return count(r.at("allowed_rate")); }},
        {"passed", [](const Json &r) { return count(r.at("passed_rate")); }},
        {"timeout", [](const Json &r) { return seconds_of(r.at("timeout_s")); }},
        {"trials of", [](const Json &r) { return seconds_of(r.at("duration_s")); }},
        {"end", [](const Json &r) { return plain_text(r.at("end")); }},
        {"RFC 8219", compliance, ""},
    };
}

// Returns the mean of a figure of the runs, with least and greatest in parentheses where runs
// differ.
std::string over_runs(const Json &replay, const std::function<Json(const Json &run)> &figure,
                      const std::function<std::string(double)> &text)
{
    std::vector<double> values;
    for (const Json &run : replay.at("trials"))
        if (const Json value = figure(run); !value.is_null())
            values.push_back(value.get<double>());
    const std::optional<Band> band = band_of(values);
    if (!band)
        return "-";
    return band->min == band->max
               ? text(band->mean)
               : fmt::format("{} ({} to {})", text(band->mean), text(band->min), text(band->max));
}

Figures replay_figures(const Json & /*any*/)
{
    const auto later = [](const char *name) {
        return [name](const Json &r) {
            return over_runs(
                r, [name](const Json &run) { return run.at("later_part").at(name); },
                duration_text);
        };
    };
    const auto slower = [](const char *name) {
        return [name](const Json &r) {
            return over_runs(
                r,
                [name](const Json &run) {
                    return Json(100 * run.at("later_part").at(name).get<double>());
                },
                percent_text);
        };
    };
    const auto rcodes = [](const Json &r) {
        std::string text;
        for (const auto &[rcode, band] : r.at("bands").at("rcode_percent").items())
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rcode,
                                percent_text(band.at("mean").get<double>()));
        return text;
    };
    return {
        {"server", [](const Json &r) { return plain_text(r.at("server")); }},
        {"captures at once", [](const Json &r) { return count(r.at("captures").at("played")); }},
        {"queries of a run", [](const Json &r) { return count(r.at("captures").at("queries")); }},
        {"seconds of a run", [](const Json &r) { return rate(r.at("duration_s")); }},
        {"timeout", [](const Json &r) { return seconds_of(r.at("timeout_s")); }},
        {"runs",
         [](const Json &r) {
             return fmt::format("{} of {}", r.at("trials").size(), count(r.at("runs_wanted")));
         }},
        {"answered %",
         [](const Json &r) {
             return over_runs(
                 r, [](const Json &run) { return run.at("answered_percent"); }, percent_text);
         }},
        {"RCODEs %", rcodes},
        {"latency since", [](const Json &r) { return seconds_of(r.at("since_s")); }},
        {"RTT median", later("rtt_p50_ns")},
        {"RTT p99", later("rtt_p99_ns")},
        {"% slower than 1 ms", slower("slower_than_1ms")},
        {"% slower than 10 ms", slower("slower_than_10ms")},
        {"% slower than 100 ms", slower("slower_than_100ms")},
        {"% slower than 1 s", slower("slower_than_1s")},
        {"% unanswered", slower("unanswered")},
        {"end", [](const Json &r) { return plain_text(r.at("end")); }, "complete"},
        {"self-test", selftest, ""},
    };
}

// A kind of result that can be compared.
struct Kind {
    const char *schema; // or the kind of a series
    const char *name;
    Figures (*figures)(const Json &any);
};

constexpr std::array kinds = {Kind{"dnsgauge/trial/1", "a trial", trial_figures},
                              Kind{"dnsgauge/trials/1", "repeated trials", trials_figures},
                              Kind{"search", "a search", search_figures},
                              Kind{"dnsgauge/selftest/1", "a self-test", selftest_figures},
                              Kind{"replay", "a replay", replay_figures}};

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
            throw SetupError(
                fmt::format("{} is the result of {}, {} the result of {}: compare results "
                            "of one kind",
                            results.front().name, kind.name, result.name, other.name));
    Table table;
    table.heads.push_back({""});
    for (const NamedResult &result : results)
        table.heads.back().push_back(result.name);
    for (const Figure &figure : kind.figures(*results.front().result)) {
        Table::Row texts;
        for (const NamedResult &result : results)
            texts.push_back(figure.text(*result.result));
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
