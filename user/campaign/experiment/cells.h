// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The cells of an experiment's matrix. Each cell is a search.
#pragma once

#include "experiment/experiment.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

using Variables = std::map<std::string, std::string>;

// Returns the command's words with each ${name} replaced by its value in `variables`; $${ becomes
// ${. Throws SetupError with the command's line if there is no such variable, or if its value is
// not an is_plain_word().
[[nodiscard]] std::vector<std::string> substitute(const CommandTemplate &command,
                                                  const Variables &variables);

// A server's commands in a cell, ready to run.
struct ServerCommands {
    std::string name;
    std::string directory;
    std::string log; // what the server prints
    std::vector<std::string> prepare{};
    std::vector<std::string> start;
    std::vector<std::string> ready{};
    std::vector<std::string> stop{};
};

struct Cell {
    std::string name; // of its journal: the values that vary, such as "bind9-4-0.25"
    Settings settings;
    std::set<std::string> options;       // keys of the settings that are options of the search
    Place place;                         // for refusals that no single setting causes
    std::vector<ServerCommands> servers; // in the order of starting; the last one is on the DUT
    bool restart_each_trial = false;     // the DUT's server is started again before each trial
    std::vector<std::string> power_cycle;
    // "dnsgauge placement" on the server's machine; empty if the experiment places nothing.
    std::vector<std::string> placement_command;
    // The words of the settings to apply; empty if this cell leaves the machine as it is.
    std::vector<std::string> placement;

    // Returns the key's value; empty if the cell has none.
    [[nodiscard]] std::string value(const std::string &key) const;
    // Returns the words after placement_command that place the machine as the cell wishes.
    [[nodiscard]] std::vector<std::string> apply_words(const std::string &interface) const;
    // Returns the options of "dnsgauge search" that make the cell's search.
    [[nodiscard]] std::vector<std::string> search_words(const std::string &journal) const;
};

// Returns the keys in which the cells differ.
[[nodiscard]] std::vector<std::string> varying_keys(const Experiment &experiment);

// Returns every combination of the matrix, in which the first key varies slowest, and then the
// extras. Commands may use `variables` besides settings. Throws SetupError if the grid is
// impossible.
[[nodiscard]] std::vector<Cell> cells_of(const Experiment &experiment, const std::string &directory,
                                         const Variables &variables);

} // namespace dnsgauge
