// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/sweep_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/search_json.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json step_json(const SweepStep &step)
{
    return {{"rate", step.rate.per_second},
            {"repetition", step.repetition},
            {"sent", step.sent},
            {"answered", step.answered},
            {"answered_percent", step.answered_of(100)},
            {"answered_rate", step.answered_rate()},
            {"late", step.late},
            {"invalid", step.invalid},
            {"lost", step.lost},
            {"rtt_p50_ns", figure_json(step.rtt_p50)},
            {"rtt_p99_ns", figure_json(step.rtt_p99)}};
}

} // namespace

Json to_json(const SweepResult &result, const Json &header)
{
    Json steps = Json::array();
    for (const SweepStep &step : result.steps)
        steps.push_back(step_json(step));
    Json json = {{"schema", "dnsgauge/sweep/1"},
                 {"server", result.server},
                 {"min_rate", result.min_rate.per_second},
                 {"max_rate", result.max_rate.per_second},
                 {"spacing", spacings.text_of(result.spacing)},
                 {"rates", result.rates},
                 {"repeat", result.repeat},
                 {"duration_s", seconds(result.duration)},
                 {"timeout_s", seconds(result.timeout)},
                 {"rfc8219", compliance_json(result.caveats.deviations)},
                 {"selftest", cover_json(result.caveats.selftest)},
                 {"certificate", certificate_json(result.caveats.certificate)},
                 {"end", trials_ends.text_of(result.end)},
                 {"why", result.last_trial ? Json(result.last_trial->why) : Json()},
                 {"steps", steps}};
    json.update(log_json(result, header));
    return json;
}

} // namespace dnsgauge
