// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Judges what the checks of a calibration found. Each function returns the doubt that a check
// leaves: the figure of the Tester that is not to be trusted on this set-up, and why. Returns
// nothing if the check leaves no doubt.
#pragma once

#include "result/calibration_result.h"
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

// The floor needs one valid reply. The checks of the limit and of counts judge losses.
[[nodiscard]] std::optional<Doubt> judge_at_once(const DelayCheck &check);

// Judge replies that were due shortly before the timeout, or shortly behind it. FakeDNS never sends
// a reply earlier than it is due, but may send it later, even after the trial's end: at most one
// reply in ten may be so late.
[[nodiscard]] std::optional<Doubt> judge_before_edge(const DelayCheck &check);
[[nodiscard]] std::optional<Doubt> judge_behind_edge(const DelayCheck &check);

[[nodiscard]] std::optional<Doubt> judge(const PacingCheck &check, const CalibrationLimits &limits);

// Sets the bias of the check and of each of its several Testers, and the error. `first` is the
// check of the replies that FakeDNS held for the shortest time, by the same Testers.
void set_bias(DelayCheck &check, const DelayCheck &first);

// Returns the doubt that the check leaves, by `judge_it`. The doubt names the Testers whose parts
// leave a doubt. If no part does, the check is judged as a whole.
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
