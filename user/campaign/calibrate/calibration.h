// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The calibration of a Tester: all checks, from what it can do at most to each of its figures.
#pragma once

#include "calibrate/checks.h"
#include "result/calibration_result.h"
#include "selftest/selftest.h"

#include <chrono>
#include <functional>
#include <string>

namespace dnsgauge
{

inline constexpr Nanoseconds calibration_timeout_least = std::chrono::milliseconds(50);

// What is checked beside the limit.
struct CalibrationParts {
    bool counting = true;
    bool rtt = true;
    bool pacing = true;

    [[nodiscard]] bool all() const { return counting && rtt && pacing; }
};

struct CalibrationPlan {
    TrialPlan trial; // each trial's, but for rate and names
    FakednsPlan fakedns;
    SelftestPlan limit;
    unsigned attempts = 1; // for each check
    CalibrationParts parts;
    CalibrationLimits limits;
};

// `say` is told what comes next. Empty: stopped. Throws SetupError. The result has no set-up,
// command, record or time yet.
[[nodiscard]] std::optional<CalibrationResult>
calibrate(const CalibrationPlan &plan, const std::atomic<bool> &stop,
          const std::function<void(const std::string &)> &say);

} // namespace dnsgauge
