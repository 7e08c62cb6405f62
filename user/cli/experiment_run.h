// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes an experiment's searches, one cell after the other.
#pragma once

#include "cli/exit_status.h"
#include "cli/experiment_plan.h"
#include "text/table.h"

namespace dnsgauge
{

// Makes what the journals in the plan's directory lack, and leaves the tables there; without
// `resume` there must be no journal yet. Prints the tables in `form`. Throws SetupError.
[[nodiscard]] ExitStatus run_experiment(ExperimentPlan &plan, bool resume, TableForm form);

} // namespace dnsgauge
