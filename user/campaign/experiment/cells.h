// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The cells of an experiment's matrix: a search each.
#pragma once

#include "experiment/experiment.h"
#include "experiment/substitution.h"

#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// A server's commands in a cell, ready to be run.
struct ServerCommands {
    std::string name;
    std::string directory;
    std::string log; // what the server prints
    std::vector<std::string> prepare;
    std::vector<std::string> start;
    std::vector<std::string> ready;
    std::vector<std::string> stop;
};

struct Cell {
    std::string name; // of its journal: what varies, such as "bind9-4-0.25"
    Settings settings;
    std::set<std::string> options;       // those of the settings that are its search's
    Place place;                         // what refusals name that no single setting causes
    std::vector<ServerCommands> servers; // in the order they are started; the DUT's is the last
    bool restart_each_trial = false;     // of that one
    std::vector<std::string> power_cycle;

    [[nodiscard]] std::string value(const std::string &key) const; // empty: not set
    // The options of "dnsgauge search" that make its search.
    [[nodiscard]] std::vector<std::string> search_words(const std::string &journal) const;
};

// Of which the cells differ.
[[nodiscard]] std::vector<std::string> varying_keys(const Experiment &experiment);

// Every combination of the matrix, its first key varying slowest, then the extras. `variables` are
// what commands know besides settings. Throws SetupError: a grid that is impossible.
[[nodiscard]] std::vector<Cell> cells_of(const Experiment &experiment, const std::string &directory,
                                         const Variables &variables);

} // namespace dnsgauge
