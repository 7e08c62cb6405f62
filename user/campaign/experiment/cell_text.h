// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The names of settings and of their values in tables.
#pragma once

#include "experiment/cells.h"

#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the papers' name for the setting.
[[nodiscard]] std::string head_of(const std::string &key);

class CellText
{
public:
    // `cells` are all cells of the experiment. They must outlive the object.
    CellText(const Experiment &experiment, const std::vector<Cell> &cells);

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
