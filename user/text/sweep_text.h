// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep's result for people, and for programs that read tables.
#pragma once

#include "result/sweep_result.h"
#include "result/trial_result.h"
#include "text/table.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

// Returns the share in percent, to a ten-thousandth and never rounded up: 100 means all.
[[nodiscard]] std::string answered_percent_text(std::uint64_t answered, std::uint64_t sent);

// Returns how many queries of a trial were answered, or why the trial is invalid.
[[nodiscard]] std::string answered_text(const TrialResult &trial);

// Returns a row for each step. In CSV the columns have the names of the members of a step in JSON.
[[nodiscard]] std::string to_text(const SweepResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
