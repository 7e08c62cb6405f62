// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/series_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/machine_fields.h"
#include "record/trial_fields.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

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

} // namespace

Json log_json(const TrialLog &log, const Json &header)
{
    Json json = {{"trials", log.trials},
                 {"invalid_trials", log.invalid_trials},
                 {"invalid_retries", log.invalid_retries},
                 {"resumed", log.resumed},
                 {"command", log.command},
                 {"journal", log.journal},
                 {"circumstances", log.circumstances ? written(*log.circumstances) : Json()},
                 {"placement", written(log.placement)},
                 {"setup", header.at("setup")},
                 {"options", header.at("options")}};
    if (log.is_of_several())
        json["teams"] = teams_json(log.teams);
    return json;
}

Json series_json(const std::string &kind, const SeriesResult &result, const Json &header,
                 const Json &plan, const Json &found)
{
    Json json = {{"schema", "dnsgauge/" + kind + "/1"}, {"server", result.server}};
    json.update(plan);
    json["timeout_s"] = seconds(result.timeout);
    json["rfc8219"] = compliance_json(result.caveats.deviations);
    json["selftest"] = written(result.caveats.selftest);
    json["certificate"] = certificate_json(result.caveats.certificate);
    json["end"] = trials_ends.text_of(result.end);
    json["why"] = why(result);
    json.update(found);
    json.update(log_json(result, header));
    return json;
}

} // namespace dnsgauge
