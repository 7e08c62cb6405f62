// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The conditions of a trial for machines: the member "circumstances" of results.
#pragma once

#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

[[nodiscard]] nlohmann::ordered_json circumstances_json(const Circumstances &circumstances);

// Likewise back, whoever wrote it. Throws nlohmann::json::exception: it is not what the above
// makes.
[[nodiscard]] Circumstances read_circumstances(const nlohmann::ordered_json &json);

} // namespace dnsgauge
