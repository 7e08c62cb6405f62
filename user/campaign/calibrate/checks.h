// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The single checks of a calibration: each starts what it needs at the other end, makes one trial,
// ends it again, and says what it found. Judging is done elsewhere (judgement.h).
#pragma once

#include "calibrate/fakedns_process.h"
#include "result/calibration_result.h"
#include "trial/trial.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// What all checks have in common. The plan's rate, names and tolerances are set by the checks.
struct CheckBench {
    TrialPlan trial;
    FakednsPlan fakedns;
    const std::atomic<bool> &stop;
};

// With all faults of which FakeDNS is capable, of known shares. Each of these is empty where it
// was stopped, and throws SetupError where it could not be made.
[[nodiscard]] std::optional<CountingCheck> check_counting(const CheckBench &bench, Rate rate);

// All replies held back for `delay`; none: not held.
[[nodiscard]] std::optional<DelayCheck> check_delay(const CheckBench &bench,
                                                    std::optional<Nanoseconds> delay);

// The arrival clock takes FakeDNS' place.
[[nodiscard]] std::optional<PacingCheck> check_pacing(const CheckBench &bench, Rate rate);

} // namespace dnsgauge
