// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What queues and CPUs handled, and where the CPUs are, as JSON.
#pragma once

#include "result/placement_result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <vector>

namespace dnsgauge
{

[[nodiscard]] nlohmann::ordered_json to_json(const Handled &handled);
// Throws nlohmann::json::exception.
[[nodiscard]] Handled handled_of(const nlohmann::ordered_json &json);

[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<CpuPlace> &places);
// Throws nlohmann::json::exception.
[[nodiscard]] std::vector<CpuPlace> places_of(const nlohmann::ordered_json &json);

// Returns the member "placement" of results; null where nobody looked.
[[nodiscard]] nlohmann::ordered_json
placement_json(const std::optional<PlacementResult> &placement);
// Returns what placement_json() wrote. Throws nlohmann::json::exception.
[[nodiscard]] std::optional<PlacementResult> placement_of(const nlohmann::ordered_json &json);

} // namespace dnsgauge
