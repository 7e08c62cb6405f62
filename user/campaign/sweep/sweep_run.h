// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes a sweep's trials, and tells how far the sweep is.
#pragma once

#include "sweep/sweep.h"
#include "sweep/sweep_request.h"

#include <atomic>

namespace dnsgauge
{

// Makes the trials that the journal lacks, until `stop` is set. Throws SetupError.
[[nodiscard]] SweepResult make_sweep(const SweepRequest &request, Journal &journal,
                                     const std::atomic<bool> &stop);

} // namespace dnsgauge
