// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The calibration of a Tester: the check of its limit, and the checks of its figures.
#pragma once

#include "calibrate/calibration_result.h"
#include "calibrate/checks.h"
#include "result/caveats.h"
#include "selftest/selftest.h"

#include <chrono>
#include <functional>
#include <string>

namespace dnsgauge
{

inline constexpr Nanoseconds calibration_timeout_least = std::chrono::milliseconds(50);

// The checks to make besides the check of the limit.
struct CalibrationParts {
    bool counting = true;
    bool rtt = true;
    bool pacing = true;
};

struct CalibrationPlan {
    TrialPlan trial; // what all trials share: the checks add rate and names
    FakednsPlan fakedns;
    SelftestPlan limit;
    unsigned attempts = 1; // of each check, at most
    CalibrationParts parts;
    CalibrationLimits limits;
};

// Makes the checks, and calls `say` with the name of each. Returns nothing if `stop` was set. The
// result lacks set-up, command, record and time. Throws SetupError.
[[nodiscard]] std::optional<CalibrationResult>
calibrate(const CalibrationPlan &plan, const std::atomic<bool> &stop,
          const std::function<void(const std::string &)> &say);

[[nodiscard]] std::string to_text(const CalibrationResult &result);

} // namespace dnsgauge
