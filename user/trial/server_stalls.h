// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Times without a CPU for the server on this machine, as stalls of a trial.
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
// their beginnings. Leaves out absences that ended before the start.
[[nodiscard]] std::vector<Stall> server_stalls(const std::vector<absence> &absences,
                                               Nanoseconds start);

// Merges stalls that overlap: several Testers on a machine note the same absence, and a server may
// miss several CPUs at once.
[[nodiscard]] std::vector<Stall> unite_overlapping(std::vector<Stall> stalls);

// Sets the longest absence of each CPU that ran the server.
void take_longest(std::vector<CpuUse> &cpus, const std::map<unsigned, absence> &longest);

} // namespace dnsgauge
