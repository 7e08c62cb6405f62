// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a Multiple Loss Ratio Search as JSON.
#pragma once

#include "result/loss_search_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns the object that schemas/loss-search.schema.json describes. `header` is the header of the
// search's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const LossSearchResult &result,
                                             const nlohmann::ordered_json &header);

} // namespace dnsgauge
