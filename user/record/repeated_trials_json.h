// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Repeated trials as JSON.
#pragma once

#include "record/fields.h"
#include "result/repeated_trials.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

void fields(Fields &row, RepeatedTrials &repeated);

// Returns dnsgauge/trials/1.
[[nodiscard]] nlohmann::ordered_json to_json(const RepeatedTrials &repeated);

} // namespace dnsgauge
