// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names that somebody may take away from a Tester while it works: those of its interface and of its
// network namespace. Both go on to work, so that nothing else tells.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Surroundings {
    std::string interface;     // its name; empty: it is not in this network namespace
    std::string net_namespace; // its name in /run/netns; empty: it has none
};

// Returns the names as they are now. Throws SetupError where the system cannot tell, as for want of
// a descriptor.
[[nodiscard]] Surroundings surroundings_of(unsigned interface_index);

// Returns the doubts that the change leaves; none if nothing has changed.
[[nodiscard]] std::vector<std::string> doubts_of_change(const Surroundings &before,
                                                        const Surroundings &after);

// Reads what tells of a run that is over. Returns whether the system could tell; otherwise adds the
// doubt that `untold` is not known, since a finished trial is not lost with it.
[[nodiscard]] bool read_afterwards(std::vector<std::string> &doubts, const std::string &untold,
                                   const std::function<void()> &read);

} // namespace dnsgauge
