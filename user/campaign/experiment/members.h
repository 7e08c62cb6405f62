// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Groups of cells that belong together, and the names of settings and of their values in tables.
#pragma once

#include "experiment/cells.h"
#include "experiment/tables.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the notes on one cell.
[[nodiscard]] std::vector<std::string> notes_of(const CellOutcome &outcome);

// Returns a warning for each flat curve over server processes, because the Tester may limit it
// (paper 001). A curve is three or more cells with rates that are alike except for the key
// "processes". It is flat if the medians differ by no more than a twentieth.
[[nodiscard]] std::vector<std::string> flat_curves(const Experiment &experiment,
                                                   const CellResults &members);

// Places in a list of members.
using Group = std::vector<std::size_t>;

// Returns groups of members that are alike in these settings, in the order of their first members.
[[nodiscard]] std::vector<Group> groups_by(const CellResults &members,
                                           const std::vector<std::string> &keys);

// Returns the keys whose values cells must share to be compared by `keys`. These are all other keys
// that vary, and the settings of rules on which a rate depends.
[[nodiscard]] std::vector<std::string> all_but(const Experiment &experiment,
                                               const std::set<std::string> &keys);

// Returns the members of `keys` in which the members differ.
[[nodiscard]] std::vector<std::string> differing(const CellResults &members,
                                                 const std::vector<std::string> &keys);

// Returns the papers' name for the setting.
[[nodiscard]] std::string head_of(const std::string &key);

class CellText
{
public:
    // `results` are of all cells of the experiment. The experiment must outlive the object.
    CellText(const Experiment &experiment, const CellResults &results);

    // Returns the text for a cell's value. It is a zone's size or a server's label if these texts
    // differ for all values; otherwise, and for other keys, the value itself.
    [[nodiscard]] std::string shown(const Cell &cell, const std::string &key) const;
    // Returns the texts of the keys that are set.
    [[nodiscard]] std::string shown(const Cell &cell, const std::vector<std::string> &keys) const;

private:
    [[nodiscard]] std::string brief(const std::string &key, const std::string &value) const;

    const Experiment &experiment_;
    std::set<std::string> whole_; // keys whose brief texts would look alike
};

} // namespace dnsgauge
