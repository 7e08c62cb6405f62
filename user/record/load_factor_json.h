// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a search for a load factor as JSON.
#pragma once

#include "result/load_factor_result.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace dnsgauge
{

// Returns the object that schemas/load-factor.schema.json describes. `replays` are the results'
// replays in JSON.
[[nodiscard]] nlohmann::ordered_json to_json(const LoadFactorResult &result,
                                             const std::vector<nlohmann::ordered_json> &replays);

} // namespace dnsgauge
