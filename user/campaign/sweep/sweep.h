// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the steps of a sweep, and records every trial in a journal.
#pragma once

#include "record/journal.h"
#include "search/journalled_trials.h"
#include "sweep/sweep_steps.h"

namespace dnsgauge
{

// Makes the sweep from where the journal ends, until all is done or something ends it. Records each
// trial in the journal before the next one begins, and makes no recorded trial again. Throws
// SetupError if a record of the journal does not belong to this sweep, and what `run` or the
// journal throw.
[[nodiscard]] SweepResult run_sweep(const SweepPlan &plan, Journal &journal,
                                    const TrialRunner &run);

} // namespace dnsgauge
