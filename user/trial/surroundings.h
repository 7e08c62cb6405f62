// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The names of a Tester's interface and network namespace, which somebody may take away while it
// works. Interface and namespace go on working, so that nothing else shows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Surroundings {
    std::string interface;     // its name; empty if it is not in this network namespace
    std::string net_namespace; // its name in /run/netns; empty if it has none
};

// Returns the present names. Throws SetupError if the system cannot tell them, as without a free
// descriptor.
[[nodiscard]] Surroundings surroundings_of(unsigned interface_index);

// Returns the doubts that the change leaves; none if nothing has changed.
[[nodiscard]] std::vector<std::string> doubts_of_change(const Surroundings &before,
                                                        const Surroundings &after);

// Calls `read` after a run. Returns whether it could read; otherwise adds the doubt that `untold`
// is unknown: a finished trial is not lost for that.
[[nodiscard]] bool read_afterwards(std::vector<std::string> &doubts, const std::string &untold,
                                   const std::function<void()> &read);

} // namespace dnsgauge
