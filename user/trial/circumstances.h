// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The machine on which a trial runs, and the moment.
#pragma once

#include "result/trial_result.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the host's name, as hostname(1) prints it.
[[nodiscard]] std::string host_name();

// Returns what this machine tells. A trial adds its own circumstances.
[[nodiscard]] Circumstances machine_circumstances();

// Returns where the machine's CPUs are, as they were at the first call.
[[nodiscard]] const std::vector<CpuPlace> &cpu_places();

} // namespace dnsgauge
