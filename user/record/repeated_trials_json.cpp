// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/repeated_trials_json.h"

#include "record/json.h"
#include "record/trial_fields.h"
#include "stats/summary.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json spread_json(const SpreadFigure &figure, const std::vector<TrialResult> &trials)
{
    const std::optional<Spread> spread = spread_of(values_of(figure, trials));
    if (!spread)
        return {{"min", nullptr}, {"median", nullptr}, {"max", nullptr}};
    return {{"min", spread->min}, {"median", spread->median}, {"max", spread->max}};
}

Json spreads_json(const std::vector<TrialResult> &trials)
{
    Json rtt = Json::object();
    for (const SpreadFigure &figure : rtt_figures)
        rtt[figure.key] = spread_json(figure, trials);
    return {{"trials", telling_trials(trials)},
            {answered_share.key, spread_json(answered_share, trials)},
            {"rtt_ns", rtt}};
}

} // namespace

Json to_json(const RepeatedTrials &repeated)
{
    Json json;
    json["schema"] = "dnsgauge/trials/1";
    json["repeat"] = repeated.repeat;
    json["pause_s"] = seconds(repeated.pause);
    json["fresh_names"] = repeated.fresh_names;
    json["rfc8219"] = compliance_json(repeated.caveats.deviations);
    json["selftest"] = written(repeated.caveats.selftest);
    json["spread"] = spreads_json(repeated.trials);
    json["verdict"] = to_string(repeated.verdict);
    json["why"] = repeated.why;
    json["error"] = repeated.error.empty() ? Json() : Json(repeated.error);
    json["doubts"] = repeated.caveats.doubts;
    Json trials = Json::array();
    for (const TrialResult &trial : repeated.trials)
        trials.push_back(to_json(trial));
    json["trials"] = trials;
    return json;
}

} // namespace dnsgauge
