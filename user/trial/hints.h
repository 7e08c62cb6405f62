// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the figures of a trial look like: a table of patterns, each with its condition.
#pragma once

#include "result/hint.h"
#include "result/trial_result.h"

#include <vector>

namespace dnsgauge
{

// Returns the hints whose conditions the result's other members meet. README.md has the conditions.
[[nodiscard]] std::vector<Hint> hints_of(const TrialResult &result);

} // namespace dnsgauge
