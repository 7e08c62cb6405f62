// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the parts of several Testers allow to be said about the server, and which Tester does not.
#pragma once

#include "result/trial_result.h"
#include "trial/measurement.h"
#include "trial/verdict.h"

#include <vector>

namespace dnsgauge
{

// Judges the trial that several Testers made: each part, and then the sum. `whole` has the sums,
// and each part as a trial of its own; `evidence` is that of the sums.
[[nodiscard]] Judgement judge_together(const TrialResult &whole,
                                       const std::vector<TesterPart> &parts, Evidence evidence,
                                       const Criteria &criteria);

} // namespace dnsgauge
