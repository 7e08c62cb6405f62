// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cells with what they came to, and which of them belong together.
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

// What is to be said of a cell on its own.
[[nodiscard]] std::vector<std::string> notes_of(const CellOutcome &outcome);

// Places in a list of members.
using Group = std::vector<std::size_t>;

// Those that are alike in these settings, groups in the order in which their first members come.
[[nodiscard]] std::vector<Group> groups_by(const std::vector<Member> &members,
                                           const std::vector<std::string> &keys);

// What cells must share to be compared by `keys`: all else that varies, and whatever rules may have
// set that a rate depends on.
[[nodiscard]] std::vector<std::string> all_but(const Experiment &experiment,
                                               const std::set<std::string> &keys);

// Those of `keys` in which members differ.
[[nodiscard]] std::vector<std::string> differing(const std::vector<Member> &members,
                                                 const std::vector<std::string> &keys);

} // namespace dnsgauge
