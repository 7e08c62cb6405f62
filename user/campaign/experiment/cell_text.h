// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What settings and their values are called in tables.
#pragma once

#include "experiment/cells.h"

#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// As the papers call it.
[[nodiscard]] std::string head_of(const std::string &key);

class CellText
{
public:
    // `cells`: all of the experiment, which must live on.
    CellText(const Experiment &experiment, const std::vector<Cell> &cells);

    // A zone's size and a server's label, where they tell all the cells' values apart; otherwise,
    // and of all other keys, the value.
    [[nodiscard]] std::string shown(const Cell &cell, const std::string &key) const;
    // Those that are set.
    [[nodiscard]] std::string shown(const Cell &cell, const std::vector<std::string> &keys) const;

private:
    [[nodiscard]] std::string brief(const std::string &key, const std::string &value) const;

    const Experiment &experiment_;
    std::set<std::string> whole_; // keys of which values would look alike in brief
};

} // namespace dnsgauge
