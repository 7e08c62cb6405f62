// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test's result as JSON. Record files hold such objects.
#pragma once

#include "result/selftest_result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace dnsgauge
{

inline constexpr const char *selftest_schema = "dnsgauge/selftest/1";

// Returns the object that schemas/selftest.schema.json describes.
[[nodiscard]] nlohmann::ordered_json to_json(const SelftestResult &result);

// Returns the object of one trial.
[[nodiscard]] nlohmann::ordered_json trial_json(const SelftestTrial &tried);

// Returns the member "placements"; null where they were not walked.
[[nodiscard]] nlohmann::ordered_json placements_json(const std::optional<PlacementWalk> &walk);

// Returns the member "setup".
[[nodiscard]] nlohmann::ordered_json setup_json(const TesterSetup &setup);

// Returns what setup_json() wrote. Throws nlohmann::json::exception.
[[nodiscard]] TesterSetup read_setup(const nlohmann::ordered_json &json);

} // namespace dnsgauge
