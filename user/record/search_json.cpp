// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/search_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/series_json.h"
#include "record/trial_fields.h"
#include "stats/summary.h"
#include "userland/words.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto ends = words<SearchEnd>({{SearchEnd::complete, "complete"},
                                        {SearchEnd::interrupted, "interrupted"},
                                        {SearchEnd::invalid_trial, "invalid trial"},
                                        {SearchEnd::below_range, "below range"},
                                        {SearchEnd::above_range, "above range"}});

Json cap_json(const Repetition &repetition)
{
    if (!repetition.cap)
        return {};
    const TrialSummary &trial = repetition.trials.at(repetition.cap->trial);
    return {{"trial", repetition.cap->trial + 1},
            {"rate", trial.rate.per_second},
            {"sent", trial.sent},
            {"valid", trial.valid},
            {"passed_behind_it", repetition.cap->passed_behind_it}};
}

Json repetition_json(const Repetition &repetition)
{
    Json trials = Json::array();
    for (const TrialSummary &trial : repetition.trials)
        trials.push_back({{"rate", trial.rate.per_second},
                          {"verdict", to_string(trial.verdict)},
                          {"sent", trial.sent},
                          {"valid", trial.valid},
                          {"why", trial.why}});
    return {{"rate", repetition.rate ? Json(repetition.rate->per_second) : Json()},
            {"at_least", rate_json(repetition.at_least)},
            {"highest_passed", rate_json(repetition.passed)},
            {"lowest_failed", rate_json(repetition.failed)},
            {"capped", cap_json(repetition)},
            {"trials", trials}};
}

// A figure that is not defined (NaN) becomes null.
Json statistics_json(const Summary &summary)
{
    return {{"count", summary.count},
            {"median", summary.median},
            {"p1", summary.p1},
            {"p99", summary.p99},
            {"mean", summary.mean},
            {"stddev", summary.stddev},
            {"moe_99_9", summary.moe_999},
            {"mad", summary.mad},
            {"dispersion_percent", summary.dispersion}};
}

} // namespace

const char *to_string(SearchEnd end)
{
    return ends.text_of(end);
}

Json to_json(const SearchResult &result, const Json &header)
{
    Json json;
    json["schema"] = "dnsgauge/search/1";
    json["server"] = result.server;
    json["min_rate"] = result.min_rate.per_second;
    json["max_rate"] = result.max_rate.per_second;
    json["resolution"] = result.resolution;
    json["repeat"] = result.repeat;
    json["confirm"] = result.confirm;
    json["accept_percent"] = result.accept_percent;
    json["dns64"] = written(result.dns64);
    json["rfc8219"] = compliance_json(result.caveats.deviations);
    json["selftest"] = written(result.caveats.selftest);
    json["certificate"] = certificate_json(result.caveats.certificate);
    json["tester_limit"] =
        result.caveats.is_tester_limited() ? Json(result.caveats.tester_limit) : Json();
    json["end"] = to_string(result.end);
    json["why"] = result.last_trial ? Json(result.last_trial->why) : Json();
    Json rates = Json::array();
    for (const Repetition &repetition : result.repetitions)
        if (repetition.rate)
            rates.push_back(repetition.rate->per_second);
    json["rates"] = rates;
    json["at_least"] = rate_json(result.at_least());
    json["statistics"] = statistics_json(summarize(result.rates()));
    Json repetitions = Json::array();
    for (const Repetition &repetition : result.repetitions)
        repetitions.push_back(repetition_json(repetition));
    json["repetitions"] = repetitions;
    json.update(log_json(result, header));
    return json;
}

} // namespace dnsgauge
