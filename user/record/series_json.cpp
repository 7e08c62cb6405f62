// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char *form = "dnsgauge/series/1";

// An older form, and its name for the trials. A search has its trials in its repetitions.
struct OlderForm {
    const char *kind;
    const char *trials;
};

constexpr std::array older_forms{OlderForm{"search", ""}, OlderForm{"loss-search", "steps"},
                                 OlderForm{"sweep", "steps"}, OlderForm{"soak", "rows"},
                                 OlderForm{"replay", "runs"}};

void rename(Json &object, const char *from, const char *to)
{
    if (const auto found = object.find(from); found != object.end()) {
        Json value = std::move(*found);
        object.erase(found);
        object[to] = std::move(value);
    }
}

// Takes the trials out of an older result.
Json take_trials(Json &result, const OlderForm &older)
{
    Json trials = Json::array();
    const auto take = [&trials](Json &from, const char *name) {
        for (const Json &trial : from.value(name, Json::array()))
            trials.push_back(trial);
        from.erase(name);
    };
    if (*older.trials != '\0') {
        take(result, older.trials);
    } else if (result.contains("repetitions")) {
        std::uint64_t number = 0;
        for (Json &repetition : result.at("repetitions")) {
            number++;
            const std::size_t before = trials.size();
            take(repetition, "trials");
            for (std::size_t i = before; i < trials.size(); i++)
                trials[i]["repetition"] = number;
        }
    }
    for (Json &trial : trials)
        rename(trial, "valid", "answered");
    return trials;
}

} // namespace

Json as_series(Json result)
{
    const Json schema = result.is_object() ? result.value("schema", Json()) : Json();
    const auto *const older = std::ranges::find_if(older_forms, [&schema](const OlderForm &one) {
        return schema == "dnsgauge/" + std::string(one.kind) + "/1";
    });
    if (older == older_forms.end())
        return result;
    const Json trials = take_trials(result, *older);
    rename(result, "trials", "trials_made");
    rename(result, "row_s", "duration_s");
    if (older->kind == std::string("sweep"))
        rename(result, "rates", "rates_wanted");
    result["schema"] = form;
    result["kind"] = older->kind;
    result["trials"] = trials;
    return result;
}

std::string series_kind(const Json &result)
{
    if (!result.is_object() || result.value("schema", Json()) != form)
        return {};
    const Json kind = result.value("kind", Json());
    return kind.is_string() ? kind.get<std::string>() : "";
}

} // namespace dnsgauge
