// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The deviations of a trial from RFC 8219 section 9.
#pragma once

#include "trial/plan.h"

#include <chrono>
#include <string>
#include <vector>

namespace dnsgauge
{

// The longest timeout that RFC 8219 section 9.2 allows.
inline constexpr Nanoseconds timeout_recommended = std::chrono::seconds(1);

// Returns the deviations of trials with this plan; empty if they comply. RFC 8219 names no
// tolerances, but a trial with larger ones than the defaults deviates: it may not have sent at the
// rate that the result names.
[[nodiscard]] std::vector<std::string> trial_deviations(const TrialPlan &plan);

// Returns the plan's tolerances, raised if the machine is shared. A self-test covers no trials with
// smaller tolerances.
[[nodiscard]] Tolerances limits_of(const TrialPlan &plan);

} // namespace dnsgauge
