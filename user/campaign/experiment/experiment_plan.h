// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An experiment's searches, before any is made.
#pragma once

#include "experiment/cells.h"
#include "experiment/tables.h"
#include "search/search_request.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

struct PlannedCell {
    Cell cell;
    std::vector<std::string> words; // of its search, the program's name aside
    std::string journal;            // its file
    SearchRequest request;
    nlohmann::ordered_json header; // of its journal, since begin()
    std::uint64_t names_needed = 0;
    double memory_gib = 0; // of the server; 0: not known
    CellOutcome outcome;   // nothing yet
};

struct ExperimentPlan {
    std::string file;
    std::string directory;
    Experiment experiment;
    std::vector<PlannedCell> cells;
};

// `site`: a file that is merged over `file`, or empty. Throws SetupError with file, line and key.
[[nodiscard]] ExperimentPlan plan_experiment(const std::string &file, const std::string &site,
                                             const std::string &directory);

// Before the searches are made: finds the self-test that covers each, and what their journals begin
// with. Throws SetupError: none does, and the file does not say beyond-selftest = true.
void begin(ExperimentPlan &plan);

// How many trials a cell takes, if nothing is tried again, and how long they take.
[[nodiscard]] std::uint64_t trials_of(const PlannedCell &cell);
[[nodiscard]] Nanoseconds time_of(const PlannedCell &cell, std::uint64_t trials);

// What is to be said of its trials that RFCs advise against; each note once.
[[nodiscard]] std::vector<std::string> notes_on(const ExperimentPlan &plan);

// The matrix, what it takes, and the command line of each search.
[[nodiscard]] std::string to_text(const ExperimentPlan &plan);

} // namespace dnsgauge
