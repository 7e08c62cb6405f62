// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What to look at first if a server fails a slow trial.
#pragma once

#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

// Returns what most probably makes the server fail the trial, and what to do. The trial's rate is
// low enough for any server.
[[nodiscard]] std::string trial_advice(const TrialResult &trial);

} // namespace dnsgauge
