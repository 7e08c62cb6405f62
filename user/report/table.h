// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results for people.
#pragma once

#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

// A compact table, one trial.
[[nodiscard]] std::string to_table(const TrialResult &result);

} // namespace dnsgauge
