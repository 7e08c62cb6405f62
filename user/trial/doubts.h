// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The doubts about a trial: what may have changed its figures without deciding its verdict.
#pragma once

#include "trial/verdict.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns who had the Tester's CPUs, or the server's, for longer than the tolerances allow.
[[nodiscard]] std::vector<std::string> disturbances(const std::vector<CpuUse> &cpus,
                                                    const Tolerances &tolerances, bool is_testers);

// Returns the doubts about a complete trial, whatever its verdict. `named` are disturbances that
// the verdict or another doubt names.
[[nodiscard]] std::vector<std::string> doubts_of(const Evidence &evidence,
                                                 const std::vector<std::string> &named);

// Returns a doubt if the server may have passed only because the trial ended before timeouts
// passed.
[[nodiscard]] std::vector<std::string> doubts_of_backlog(const Evidence &evidence);

} // namespace dnsgauge
