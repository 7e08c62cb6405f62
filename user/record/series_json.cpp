// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/series_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/machine_fields.h"
#include "record/trial_fields.h"

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

Json teams_json(const std::vector<TesterTeam> &teams)
{
    Json json = Json::array();
    for (const TesterTeam &team : teams)
        json.push_back({{"hosts", team.hosts}, {"servers", team.servers}, {"trials", team.trials}});
    return json;
}

Json why(const SeriesResult &result)
{
    if (!result.error.empty())
        return result.error;
    return result.last_trial ? Json(result.last_trial->why) : Json();
}

// An older form, and what it calls the trials. A search has them in its repetitions.
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

Json series_json(const std::string &kind, const SeriesResult &result, const Json &header,
                 const Json &plan, const Json &found, const Json &trials)
{
    Json json = {{"schema", form}, {"kind", kind}, {"server", result.server}};
    json.update(plan);
    json["duration_s"] = seconds(result.duration);
    json["timeout_s"] = seconds(result.timeout);
    json["accept_percent"] = result.accept_percent;
    json["rfc8219"] = compliance_json(result.caveats.deviations);
    json["selftest"] = written(result.caveats.selftest);
    json["certificate"] = written(result.caveats.certificate);
    json["doubts"] = result.caveats.doubts;
    json["end"] = trials_ends.text_of(result.end);
    json["why"] = why(result);
    json.update(found);
    json["trials"] = trials;
    json["trials_made"] = result.trials;
    json["invalid_trials"] = result.invalid_trials;
    json["invalid_retries"] = result.invalid_retries;
    if (result.is_of_several())
        json["teams"] = teams_json(result.teams);
    json["resumed"] = result.resumed;
    json["command"] = result.command;
    json["journal"] = result.journal;
    json["circumstances"] = result.circumstances ? written(*result.circumstances) : Json();
    json["placement"] = written(result.placement);
    json["setup"] = header.at("setup");
    json["options"] = header.at("options");
    return json;
}

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
