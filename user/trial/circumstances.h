// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The circumstances of a trial: its machine and its time. Interface and network namespace may lose
// their names during a trial. Both go on working, so only their names show this.
#pragma once

#include "result/trial_result.h"

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the host's name, as hostname(1) prints it.
[[nodiscard]] std::string host_name();

// Returns the circumstances that are the machine's. A trial adds its own.
[[nodiscard]] Circumstances machine_circumstances();

// Returns where the machine's CPUs are, as they were at the first call.
[[nodiscard]] const std::vector<CpuPlace> &cpu_places();

struct Surroundings {
    std::string interface;     // its name; empty if it is not in this network namespace
    std::string net_namespace; // its name in /run/netns; empty if it has none
};

// Returns the present names. Throws SetupError if the system cannot tell them, for example without
// a free descriptor.
[[nodiscard]] Surroundings surroundings_of(unsigned interface_index);

// Returns the doubts that the change leaves; none if nothing has changed.
[[nodiscard]] std::vector<std::string> doubts_of_change(const Surroundings &before,
                                                        const Surroundings &after);

// Calls `read` after a run. If that throws SetupError, adds the doubt that `untold` is unknown, and
// returns false: the finished trial is still of use.
bool read_afterwards(std::vector<std::string> &doubts, const std::string &untold,
                     const std::function<void()> &read);

} // namespace dnsgauge
