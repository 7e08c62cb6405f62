// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results of trials for people.
#pragma once

#include "result/repeated_trials.h"
#include "result/trial_result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Returns the trial as lines: what was asked, what was measured, and the verdict.
[[nodiscard]] std::string to_text(const TrialResult &result);

// Returns the trials as a table, with a row for each, their spread and their verdict.
[[nodiscard]] std::string to_text(const RepeatedTrials &repeated);

// Returns a text such as "cut 5, other server 2" for what was not sent of captures; empty if all
// was sent.
[[nodiscard]] std::string
left_out_text(const std::vector<std::pair<const char *, std::uint64_t>> &left_out);

// Returns the most probable reason why the server failed a trial at a low rate, and what to do.
[[nodiscard]] std::string trial_advice(const TrialResult &trial);

// Returns a line of heads and a line for each interval. user/record/README.md explains the columns.
[[nodiscard]] std::string intervals_csv(const TrialResult &result);

} // namespace dnsgauge
