// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Judges what the checks of a calibration found. Each function returns the doubt that a check
// leaves, or nothing. A doubt names a figure of the Tester that cannot be trusted on this set-up,
// and says why.
#pragma once

#include "calibrate/calibration_result.h"
#include "trial/testers.h"

#include <fmt/format.h>

#include <optional>

namespace dnsgauge
{

[[nodiscard]] std::optional<Doubt> judge(const CountingCheck &check);

// The caller has set `check.bias`. No RTT may be shorter than the delay, because FakeDNS sends no
// reply before its delay has passed.
[[nodiscard]] std::optional<Doubt> judge_delay(const DelayCheck &check,
                                               const CalibrationLimits &limits);

// Demands one valid reply, for the floor. Losses are judged by the checks of the limit and of
// counts.
[[nodiscard]] std::optional<Doubt> judge_at_once(const DelayCheck &check);

// Judge replies that were due shortly before the timeout, or shortly after it. FakeDNS never sends
// a reply before it is due. At most one reply in ten may come later, even after the trial's end.
[[nodiscard]] std::optional<Doubt> judge_before_edge(const DelayCheck &check);
[[nodiscard]] std::optional<Doubt> judge_behind_edge(const DelayCheck &check);

[[nodiscard]] std::optional<Doubt> judge(const PacingCheck &check, const CalibrationLimits &limits);

// Sets the error of the check, and the bias of the check and of each of several Testers. `first` is
// the same Testers' check of replies that FakeDNS held for the shortest time.
void set_bias(DelayCheck &check, const DelayCheck &first);

// Returns the doubt that the check leaves, by `judge_it`. If a Tester's part leaves a doubt, the
// doubt names the Tester. Otherwise the check is judged as a whole.
template <class Check, class Judge>
[[nodiscard]] std::optional<Doubt> judge_testers(const Check &check, Judge judge_it)
{
    Doubt named;
    for (const OfTester<Check> &tester : check.testers)
        if (const std::optional<Doubt> doubt = judge_it(tester.found)) {
            named.figure = doubt->figure;
            named.why += fmt::format("{}{}: {}", named.why.empty() ? "" : "; ",
                                     tester_name(tester.rank, tester.host), doubt->why);
            named.testers.push_back(tester.rank);
        }
    return named.testers.empty() ? judge_it(check) : named;
}

} // namespace dnsgauge
