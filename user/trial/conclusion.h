// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Combines the parts of a trial into one result with one verdict.
#pragma once

#include "result/trial_result.h"
#include "trial/measurement.h"
#include "trial/plan.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

// Returns the result of a trial whose parts are `parts`, and whose schedule has `shares` shares. At
// least one part is measured. Counts and histograms of several Testers are added up; percentiles
// follow from the sums. The result of several Testers has the parts as `testers`, and is invalid if
// a part is.
[[nodiscard]] TrialResult conclude(const TrialPlan &plan, const std::vector<TesterPart> &parts,
                                   std::uint32_t shares);

// Returns the hints whose conditions the result's other members meet. README.md has the conditions.
[[nodiscard]] std::vector<Hint> hints_of(const TrialResult &result);

} // namespace dnsgauge
