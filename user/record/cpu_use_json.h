// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Who ran on a trial's CPUs, as JSON.
#pragma once

#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace dnsgauge
{

// Returns the member "cpus" of a trial, which schemas/trial.schema.json describes.
[[nodiscard]] nlohmann::ordered_json cpus_json(const std::vector<CpuUse> &cpus);

// Returns what cpus_json() wrote. Throws nlohmann::json::exception.
[[nodiscard]] std::vector<CpuUse> read_cpus(const nlohmann::ordered_json &json);

} // namespace dnsgauge
