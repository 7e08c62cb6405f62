// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A trial's result for people.
#pragma once

#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

// Returns the trial as lines: what was asked, what was measured, and the verdict.
[[nodiscard]] std::string to_text(const TrialResult &result);

} // namespace dnsgauge
