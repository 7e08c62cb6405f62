// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cells with their outcomes, and groups of cells that belong together.
#pragma once

#include "experiment/cells.h"
#include "experiment/tables.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Member {
    const Cell *cell;
    const CellOutcome *outcome;
};

// Returns the notes on one cell.
[[nodiscard]] std::vector<std::string> notes_of(const CellOutcome &outcome);

// Returns a warning for each flat curve over server processes, because the Tester may limit it
// (paper 001). A curve is three or more cells with rates that are alike except for the key
// "processes". It is flat if the medians differ by no more than a twentieth.
[[nodiscard]] std::vector<std::string> flat_curves(const Experiment &experiment,
                                                   const std::vector<Member> &members);

// Places in a list of members.
using Group = std::vector<std::size_t>;

// Returns groups of members that are alike in these settings, in the order of their first members.
[[nodiscard]] std::vector<Group> groups_by(const std::vector<Member> &members,
                                           const std::vector<std::string> &keys);

// Returns the keys whose values cells must share to be compared by `keys`. These are all other keys
// that vary, and the settings of rules on which a rate depends.
[[nodiscard]] std::vector<std::string> all_but(const Experiment &experiment,
                                               const std::set<std::string> &keys);

// Returns the members of `keys` in which the members differ.
[[nodiscard]] std::vector<std::string> differing(const std::vector<Member> &members,
                                                 const std::vector<std::string> &keys);

} // namespace dnsgauge
