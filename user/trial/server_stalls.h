// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Absences of the server's CPUs on this machine, as stalls of a trial.
#pragma once

#include "result/stalls.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include "absence_clock_abi.h"

#include <map>
#include <vector>

namespace dnsgauge
{

// Returns the absences by a schedule that starts at `start` (CLOCK_MONOTONIC), in the order of
// their beginnings. What ended before the start is left out.
[[nodiscard]] std::vector<Stall> server_stalls(const std::vector<absence> &absences,
                                               Nanoseconds start);

// Makes one stall of those that overlap: several Testers on a machine note the same absence, and a
// server may miss several CPUs at once.
[[nodiscard]] std::vector<Stall> unite_overlapping(std::vector<Stall> stalls);

// Tells each CPU that ran the server its longest absence.
void take_longest(std::vector<CpuUse> &cpus, const std::map<unsigned, absence> &longest);

} // namespace dnsgauge
