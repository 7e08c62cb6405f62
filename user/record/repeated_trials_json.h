// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Repeated trials as JSON.
#pragma once

#include "result/repeated_trials.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns the object that schemas/trials.schema.json describes.
[[nodiscard]] nlohmann::ordered_json to_json(const RepeatedTrials &repeated);

} // namespace dnsgauge
