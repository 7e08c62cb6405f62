// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes an experiment's searches, one cell after the other.
#pragma once

#include "experiment/experiment_plan.h"
#include "text/table.h"

#include <atomic>

namespace dnsgauge
{

enum class ExperimentEnd {
    complete,
    wrong_range, // complete, but a cell's range of rates does not hold the rate looked for
    incomplete,  // interrupted, or a trial was invalid
};

// Makes the trials that the journals in the plan's directory lack, writes the tables there, and
// prints them in `form`. Without `resume` there must be no journal yet. `stop` ends the experiment
// early. Throws SetupError, also where the server's machine cannot be put back.
[[nodiscard]] ExperimentEnd run_experiment(ExperimentPlan &plan, bool resume, TableForm form,
                                           const std::atomic<bool> &stop);

} // namespace dnsgauge
