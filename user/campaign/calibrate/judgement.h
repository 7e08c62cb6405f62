// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Judges what the checks of a calibration found. Each function returns the doubt that a check
// leaves: which figure of the Tester is not to be trusted on this set-up, and why. Returns nothing
// where the check leaves no doubt.
#pragma once

#include "result/calibration_result.h"

#include <optional>

namespace dnsgauge
{

[[nodiscard]] std::optional<Doubt> judge(const CountingCheck &check);

// The caller has set `check.bias`. No RTT may be shorter than the delay, because FakeDNS sends no
// reply before its delay has passed.
[[nodiscard]] std::optional<Doubt> judge_delay(const DelayCheck &check,
                                               const CalibrationLimits &limits);

// Judge replies that were due shortly before the timeout, or shortly behind it. FakeDNS never sends
// a reply earlier than it is due, but may send it later, even after the trial's end: at most one
// reply in ten may be so late.
[[nodiscard]] std::optional<Doubt> judge_before_edge(const DelayCheck &check);
[[nodiscard]] std::optional<Doubt> judge_behind_edge(const DelayCheck &check);

[[nodiscard]] std::optional<Doubt> judge(const PacingCheck &check, const CalibrationLimits &limits);

} // namespace dnsgauge
