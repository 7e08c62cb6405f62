// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test's result as JSON. Record files hold such objects.
#pragma once

#include "record/fields.h"
#include "result/selftest_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

inline constexpr const char *selftest_schema = "dnsgauge/selftest/1";

void fields(Fields &row, SelftestResult &result);
void fields(Fields &row, SelftestTrial &tried);
void fields(Fields &row, PlacementWalk &walk);
void fields(Fields &row, TesterSetup &setup);

// Returns dnsgauge/selftest/1.
[[nodiscard]] nlohmann::ordered_json to_json(const SelftestResult &result);

} // namespace dnsgauge
