// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results of series as JSON: `dnsgauge/series/1`, and the forms that each kind had before.
#pragma once

#include "result/series_result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// Returns the object that schemas/series.schema.json describes. `header` is the header of the
// series' journal, `plan` has the members that say what the kind was to do, `found` the members
// that say what the kind found, and `trials` the trials.
[[nodiscard]] nlohmann::ordered_json
series_json(const std::string &kind, const SeriesResult &result,
            const nlohmann::ordered_json &header, const nlohmann::ordered_json &plan,
            const nlohmann::ordered_json &found, const nlohmann::ordered_json &trials);

// Returns a result of an older form as `dnsgauge/series/1`, any other value as it is. Throws
// nlohmann's exceptions where a result lacks what its form has.
[[nodiscard]] nlohmann::ordered_json as_series(nlohmann::ordered_json result);

// Returns the kind of a series in the form `dnsgauge/series/1`; an empty text for anything else.
[[nodiscard]] std::string series_kind(const nlohmann::ordered_json &result);

} // namespace dnsgauge
