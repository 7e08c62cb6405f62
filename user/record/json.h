// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results as JSON.
#pragma once

#include "record/fields.h"
#include "result/repeated_trials.h"
#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// Returns dnsgauge/trial/1: record/trial_fields.h.
[[nodiscard]] nlohmann::ordered_json to_json(const TrialResult &result);

[[nodiscard]] const char *to_string(Verdict verdict);

void fields(Fields &row, RepeatedTrials &repeated);

// Returns dnsgauge/trials/1.
[[nodiscard]] nlohmann::ordered_json to_json(const RepeatedTrials &repeated);

// Returns JSON lines of the dns-metrics schema: header, event (the verdict), a stats_periodic for
// each interval, stats_sum. user/record/README.md says which field has which figure of the trial.
[[nodiscard]] std::string to_dns_metrics(const TrialResult &result);

// Returns a result of an older form as `dnsgauge/series/1`, any other value as it is. Throws
// nlohmann's exceptions if a result lacks what its form has.
[[nodiscard]] nlohmann::ordered_json as_series(nlohmann::ordered_json result);

// Returns the kind of a series in the form `dnsgauge/series/1`; an empty text for anything else.
[[nodiscard]] std::string series_kind(const nlohmann::ordered_json &result);

} // namespace dnsgauge
