// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The machine and the moment a trial is run on.
#pragma once

#include "result/trial_result.h"

namespace dnsgauge
{

// What can be known of this machine; the trial adds what it knows itself.
[[nodiscard]] Circumstances machine_circumstances();

} // namespace dnsgauge
