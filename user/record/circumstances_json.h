// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The conditions of a trial as JSON: the member "circumstances" of results.
#pragma once

#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

[[nodiscard]] nlohmann::ordered_json circumstances_json(const Circumstances &circumstances);

// Returns the conditions in `json`, from a file that anybody may have written. Throws
// nlohmann::json::exception if `json` is not an object that circumstances_json() could have made.
[[nodiscard]] Circumstances read_circumstances(const nlohmann::ordered_json &json);

} // namespace dnsgauge
