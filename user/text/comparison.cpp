// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/comparison.h"

#include "record/json_text.h"
#include "result/labels.h"
#include "text/duration_text.h"
#include "text/search_text.h"
#include "text/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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

std::string count(const Json &value)
{
    return fmt::format("{}", whole_number(value));
}

std::string duration(const Json &value)
{
    return value.is_null() ? "-" : duration_text(value.get<double>());
}

std::string timeout(const Json &result)
{
    return fmt::format("{:g} s", result.at("timeout_s").get<double>());
}

std::string accepted(const Json &result)
{
    return fmt::format("{:.9g} %", result.at("accept_percent").get<double>());
}

// Results of older versions lack this field.
std::string compliance(const Json &result)
{
    const auto said = result.find("rfc8219");
    const bool deviates = said != result.end() ? !said->at("compliant").get<bool>()
                                               : result.at("accept_percent").get<double>() < 100;
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

// Returns why results are not compliant.
std::vector<std::string> notes(const std::vector<NamedResult> &results)
{
    std::vector<std::pair<std::string, std::string>> said; // label, whose
    for (const NamedResult &result : results) {
        const Json compliance = result.trial->value("rfc8219", Json::object());
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
    return notes;
}

// Returns the rows for results of which `any` is one.
std::vector<Figure> figures(const Json &any)
{
    return {
        {"server", [](const Json &r) { return plain_text(r.at("server")); }},
        {"queries/s", [](const Json &r) { return count(r.at("rate")); }},
        {"timeout", timeout, timeout(any)},
        {"accepted", accepted, "100 %"},
        {"sent", [](const Json &r) { return count(r.at("sent")); }},
        {"valid", [](const Json &r) { return count(r.at("valid")); }},
        {"late", [](const Json &r) { return count(r.at("late")); }},
        {"invalid", [](const Json &r) { return count(r.at("invalid").at("total")); }},
        {"lost", [](const Json &r) { return count(r.at("lost")); }},
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

} // namespace

bool is_trial(const Json &result)
{
    return result.is_object() && result.value("schema", Json()) == "dnsgauge/trial/1";
}

std::string compare(const std::vector<NamedResult> &results)
{
    Table table;
    table.heads.push_back({""});
    for (const NamedResult &result : results)
        table.heads.back().push_back(result.name);
    for (const Figure &figure : figures(*results.front().trial)) {
        Table::Row texts;
        for (const NamedResult &result : results)
            texts.push_back(figure.text(*result.trial));
        if (std::ranges::all_of(texts, [&](const auto &text) { return text == figure.usual; }))
            continue;
        table.rows.push_back({figure.name});
        table.rows.back().insert(table.rows.back().end(), texts.begin(), texts.end());
    }
    table.notes = notes(results);
    return render(table, TableForm::text);
}

} // namespace dnsgauge
