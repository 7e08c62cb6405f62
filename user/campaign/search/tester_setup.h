// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The set-up of the Tester on which a trial is made. campaign/selftest/README.md says what belongs
// to a set-up, and why.
#pragma once

#include "result/selftest_result.h"
#include "trial/trial.h"

namespace dnsgauge
{

// Returns the set-up as it is now. Throws SetupError if there is no such interface, or if it is
// down.
[[nodiscard]] TesterSetup describe_setup(const TrialPlan &plan);

} // namespace dnsgauge
