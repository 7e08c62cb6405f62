// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A trial's result for people.
#pragma once

#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

// What was asked, what came of it and what it was judged, a line for each.
[[nodiscard]] std::string to_text(const TrialResult &result);

} // namespace dnsgauge
