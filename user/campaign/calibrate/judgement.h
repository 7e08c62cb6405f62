// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Judges what the checks found. Each function returns a figure of the Tester's that is not to be
// trusted on this set-up, and why; nothing where there is no doubt.
#pragma once

#include "result/calibration_result.h"

#include <optional>

namespace dnsgauge
{

[[nodiscard]] std::optional<Doubt> judge(const CountingCheck &check);

// `check.bias` is set. A reply never comes before its delay has passed.
[[nodiscard]] std::optional<Doubt> judge_delay(const DelayCheck &check,
                                               const CalibrationLimits &limits);

// Judges replies that were to come shortly before the timeout, or shortly behind it. FakeDNS never
// sends a reply earlier, but may send it later, even after the trial's end: at most one reply in
// ten may be so late.
[[nodiscard]] std::optional<Doubt> judge_before_edge(const DelayCheck &check);
[[nodiscard]] std::optional<Doubt> judge_behind_edge(const DelayCheck &check);

[[nodiscard]] std::optional<Doubt> judge(const PacingCheck &check, const CalibrationLimits &limits);

} // namespace dnsgauge
