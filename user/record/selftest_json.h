// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test's result for machines, and for us: its record file holds such objects.
#pragma once

#include "result/selftest_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

inline constexpr const char *selftest_schema = "dnsgauge/selftest/1";

// As the object of this schema, which user/record/README.md describes.
[[nodiscard]] nlohmann::ordered_json to_json(const SelftestResult &result);

// One of its trials.
[[nodiscard]] nlohmann::ordered_json trial_json(const SelftestTrial &tried);

// Its member "setup".
[[nodiscard]] nlohmann::ordered_json setup_json(const TesterSetup &setup);

} // namespace dnsgauge
