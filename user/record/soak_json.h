// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A soak's result as JSON, and what its journal has besides trials.
#pragma once

#include "result/soak_result.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace dnsgauge
{

// Returns the object that schemas/soak.schema.json describes. `header` is the header of the soak's
// journal.
[[nodiscard]] nlohmann::ordered_json to_json(const SoakResult &result,
                                             const nlohmann::ordered_json &header);

// Returns the processes as JSON, and reads them again. Reading throws nlohmann's exceptions and
// std::invalid_argument.
[[nodiscard]] nlohmann::ordered_json processes_json(const std::vector<ProcessMemory> &processes);
[[nodiscard]] std::vector<ProcessMemory> read_processes(const nlohmann::ordered_json &json);

} // namespace dnsgauge
