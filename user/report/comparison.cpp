// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/comparison.h"

#include "report/duration_text.h"
#include "report/json_text.h"
#include "report/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

struct Figure {
    const char *name;
    std::function<std::string(const Json &)> text;
};

std::string count(const Json &value)
{
    return fmt::format("{}", whole_number(value));
}

std::string duration(const Json &value)
{
    return value.is_null() ? "-" : duration_text(value.get<double>());
}

std::vector<Figure> figures()
{
    return {
        {"server", [](const Json &r) { return plain_text(r.at("server")); }},
        {"queries/s", [](const Json &r) { return count(r.at("rate")); }},
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
    for (const Figure &figure : figures()) {
        table.rows.push_back({figure.name});
        for (const NamedResult &result : results)
            table.rows.back().push_back(figure.text(*result.trial));
    }
    return render(table, TableForm::text);
}

} // namespace dnsgauge
