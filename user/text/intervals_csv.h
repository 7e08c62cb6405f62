// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The intervals of a trial as CSV, a row each.
#pragma once

#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

// Returns a line of heads and a line for each interval. user/record/README.md explains the columns.
[[nodiscard]] std::string intervals_csv(const TrialResult &result);

} // namespace dnsgauge
