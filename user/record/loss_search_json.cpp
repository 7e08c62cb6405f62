// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/loss_search_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/search_json.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

Json to_json(const LossSearchResult &result, const Json &header)
{
    Json goals = Json::array();
    for (const LossBounds &goal : result.goals)
        goals.push_back(
            {{"loss_percent", goal.loss_percent},
             {"lower_bound", rate_json(goal.lower)},
             {"upper_bound", rate_json(goal.upper)},
             {"conditional_throughput", goal.lower ? Json(goal.conditional_throughput) : Json()}});
    Json steps = Json::array();
    for (const LossStep &step : result.steps)
        steps.push_back({{"rate", step.rate.per_second},
                         {"duration_s", seconds(step.duration)},
                         {"sent", step.sent},
                         {"valid", step.valid},
                         {"goal", step.goal}});
    Json json = {{"schema", "dnsgauge/loss-search/1"},
                 {"server", result.server},
                 {"min_rate", result.min_rate.per_second},
                 {"max_rate", result.max_rate.per_second},
                 {"exceed_percent", result.exceed_percent},
                 {"width_percent", result.width_percent},
                 {"first_duration_s", seconds(result.first_duration)},
                 {"duration_s", seconds(result.duration)},
                 {"duration_sum_s", seconds(result.duration_sum)},
                 {"timeout_s", seconds(result.timeout)},
                 {"rfc8219", compliance_json(result.caveats.deviations)},
                 {"selftest", cover_json(result.caveats.selftest)},
                 {"certificate", certificate_json(result.caveats.certificate)},
                 {"end", trials_ends.text_of(result.end)},
                 {"why", result.last_trial ? Json(result.last_trial->why) : Json()},
                 {"goals", goals},
                 {"steps", steps}};
    json.update(log_json(result, header));
    return json;
}

} // namespace dnsgauge
