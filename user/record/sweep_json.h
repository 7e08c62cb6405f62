// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep's result as JSON.
#pragma once

#include "result/sweep_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns the object that schemas/sweep.schema.json describes. `header` is the header of the
// sweep's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const SweepResult &result,
                                             const nlohmann::ordered_json &header);

} // namespace dnsgauge
