// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// In what a trial is not what RFC 8219 section 9 demands.
#pragma once

#include "trial/trial.h"

#include <chrono>
#include <string>
#include <vector>

namespace dnsgauge
{

// The timeout that RFC 8219 section 9.2 wants at most.
inline constexpr Nanoseconds timeout_recommended = std::chrono::seconds(1);

// In what trials as `plan` describes them are not; empty: in nothing. RFC 8219 says nothing of
// tolerances: whoever loosens ours has not sent at the rate that the result names.
[[nodiscard]] std::vector<std::string> trial_deviations(const TrialPlan &plan);

} // namespace dnsgauge
