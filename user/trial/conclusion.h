// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the parts of a trial say together: one result, with one verdict.
#pragma once

#include "result/trial_result.h"
#include "trial/measurement.h"
#include "trial/trial.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

// Returns the result of a trial whose parts are `parts`, at least one of them measured, and whose
// schedule has `shares` shares. Counts and histograms of several Testers add up; percentiles are
// those of the sums. The result of several Testers is invalid unless the part of each is valid, and
// has the parts as `testers`.
[[nodiscard]] TrialResult conclude(const TrialPlan &plan, const std::vector<TesterPart> &parts,
                                   std::uint32_t shares);

} // namespace dnsgauge
