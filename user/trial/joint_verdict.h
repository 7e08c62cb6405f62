// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The verdict on a trial of several Testers, and which Tester spoils it.
#pragma once

#include "result/trial_result.h"
#include "trial/measurement.h"
#include "trial/verdict.h"

#include <vector>

namespace dnsgauge
{

// Judges the trial that several Testers made: each part, and then the sum. `whole` has the sums,
// and each part as a trial of its own; `evidence` belongs to the sums.
[[nodiscard]] Judgement judge_together(const TrialResult &whole,
                                       const std::vector<TesterPart> &parts, Evidence evidence,
                                       const Criteria &criteria);

} // namespace dnsgauge
