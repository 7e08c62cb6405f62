// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results as JSON.
#pragma once

#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns dnsgauge/trial/1: record/trial_fields.h.
[[nodiscard]] nlohmann::ordered_json to_json(const TrialResult &result);

// Returns the figure; nothing for null. Throws std::invalid_argument.
[[nodiscard]] std::optional<std::uint64_t> read_figure(const nlohmann::ordered_json &value);

[[nodiscard]] const char *to_string(Verdict verdict);
// Returns the verdict that to_string() calls so; nothing if there is none.
[[nodiscard]] std::optional<Verdict> verdict_of(std::string_view word);

} // namespace dnsgauge
