// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A replay's result as JSON.
#pragma once

#include "result/replay_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns the object that schemas/replay.schema.json describes. `header` is the header of the
// replay's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const ReplayResult &result,
                                             const nlohmann::ordered_json &header);

} // namespace dnsgauge
