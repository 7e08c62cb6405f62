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

// Returns the member "rfc8219": the deviations from the RFC, and whether there are none.
[[nodiscard]] nlohmann::ordered_json compliance_json(const std::vector<std::string> &deviations);

// Returns queries per second; null where there is no rate.
[[nodiscard]] nlohmann::ordered_json rate_json(const std::optional<Rate> &rate);

// Returns the figure; null where it is not known.
[[nodiscard]] nlohmann::ordered_json figure_json(const std::optional<std::uint64_t> &figure);

// Returns what figure_json() wrote. Throws std::invalid_argument.
[[nodiscard]] std::optional<std::uint64_t> read_figure(const nlohmann::ordered_json &value);

// Returns the replies by the name of their RCODE, without RCODEs that did not occur.
[[nodiscard]] nlohmann::ordered_json rcodes_json(const decltype(TrialResult::rcodes) &rcodes);

[[nodiscard]] const char *to_string(Verdict verdict);
// Returns the verdict that to_string() calls so; nothing if there is none.
[[nodiscard]] std::optional<Verdict> verdict_of(std::string_view word);

} // namespace dnsgauge
