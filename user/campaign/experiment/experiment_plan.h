// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Plans an experiment's searches, and makes one cell after the other.
#pragma once

#include "experiment/cells.h"
#include "experiment/tables.h"
#include "series/search/search.h"
#include "text/table.h"
#include "trial/testers.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The files that "dnsgauge placement show --json" wrote before and after the cell's trials.
struct Looks {
    std::string before;
    std::string after;
};

// A cell with its search. begin() sets the journal's first line. The trials fill in the outcome.
struct PlannedCell : CellResult {
    std::vector<std::string> words; // the search's command line, without the program
    std::string journal;            // the journal's file
    Looks looks;
    SearchRequest request;
    std::uint64_t names_needed = 0;
    double memory_gib = 0; // the server's memory; 0 if it is not known
};

// Joins the Testers for a search, from the table of its options and the options that were given.
// Throws SetupError.
using JoinTesters =
    std::function<Team(const Options &options, const std::vector<GivenOption> &given)>;

// The program that makes an experiment, as the command lines of searches name it, and the other
// Testers.
struct Experimenter {
    std::string program = "dnsgauge";
    JoinTesters join{}; // empty if this Tester is alone
};

struct ExperimentPlan {
    std::string program;
    std::string file;
    std::string directory;
    Experiment experiment;
    std::vector<PlannedCell> cells;

    [[nodiscard]] CellResults results() const { return {cells.begin(), cells.end()}; }
};

// Returns the plan of the experiment `file`. `site` is a file that is merged over `file`; it may be
// empty. Throws SetupError with file, line and key.
[[nodiscard]] ExperimentPlan plan_experiment(const std::string &file, const std::string &site,
                                             const std::string &directory,
                                             const Experimenter &experimenter = {});

// Completes the plan before the first search: finds the self-test that covers each search, and the
// first line of each journal. Throws SetupError if no self-test covers a search, unless the file
// says beyond-selftest = true.
void begin(ExperimentPlan &plan);

// Return the number of trials that a cell takes if no trial is made again, and their time.
[[nodiscard]] std::uint64_t trials_of(const PlannedCell &cell);
[[nodiscard]] Nanoseconds time_of(const PlannedCell &cell, std::uint64_t trials);

// Returns the notes on trials that RFCs advise against, each note once.
[[nodiscard]] std::vector<std::string> notes_on(const ExperimentPlan &plan);

// Returns the matrix, the time and memory that it takes, and the command line of each search.
[[nodiscard]] std::string to_text(const ExperimentPlan &plan);

enum class ExperimentEnd {
    complete,
    wrong_range, // complete, but the rate is outside some cell's range of rates
    incomplete,  // interrupted, or a trial was invalid
};

// Makes the trials that the journals in the plan's directory lack, writes the tables there, and
// prints them in `form`. Without `resume` there must be no journal yet. `stop` ends the experiment
// early. Throws SetupError, also if the server's machine cannot be put back.
[[nodiscard]] ExperimentEnd run_experiment(ExperimentPlan &plan, bool resume, TableForm form,
                                           const std::atomic<bool> &stop);

} // namespace dnsgauge
