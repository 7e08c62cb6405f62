// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results of series as JSON, `dnsgauge/series/1`, of the forms that each kind had before.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// Returns a result of an older form as `dnsgauge/series/1`, any other value as it is. Throws
// nlohmann's exceptions where a result lacks what its form has.
[[nodiscard]] nlohmann::ordered_json as_series(nlohmann::ordered_json result);

// Returns the kind of a series in the form `dnsgauge/series/1`; an empty text for anything else.
[[nodiscard]] std::string series_kind(const nlohmann::ordered_json &result);

} // namespace dnsgauge
