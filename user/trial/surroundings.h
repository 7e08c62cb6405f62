// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names that somebody may take away from a Tester while it works: those of its interface and of its
// network namespace. Both go on to work, so that nothing else tells.
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

struct Surroundings {
    std::string interface;     // its name; empty: it is not in this network namespace
    std::string net_namespace; // its name in /run/netns; empty: it has none
};

// Returns the names as they are now. Throws SetupError where the system cannot tell.
[[nodiscard]] Surroundings surroundings_of(unsigned interface_index);

// Returns the doubts that the change leaves; none if nothing has changed.
[[nodiscard]] std::vector<std::string> doubts_of_change(const Surroundings &before,
                                                        const Surroundings &after);

} // namespace dnsgauge
