// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which set-up of the Tester a trial is made on: README.md says what belongs to it, and why.
#pragma once

#include "result/selftest_result.h"
#include "trial/trial.h"

namespace dnsgauge
{

// As it is now. Throws SetupError: there is no such interface, or it is down.
[[nodiscard]] TesterSetup describe_setup(const TrialPlan &plan);

} // namespace dnsgauge
