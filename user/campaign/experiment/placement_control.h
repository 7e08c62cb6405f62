// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Places the server's machine as cells wish, by "dnsgauge placement" on it. Reads what is known
// about that machine during a cell's trials.
#pragma once

#include "experiment/cells.h"
#include "result/placement_result.h"

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// A cell's command decides which machine is placed. The destructor puts back each machine that has
// not been put back before. After a crash or kill -9 the record on that machine remains. The next
// placement there, or --resume of the experiment, puts the machine back.
class PlacementControl
{
public:
    PlacementControl(const Experiment &experiment, const std::atomic<bool> &stop);
    ~PlacementControl();
    PlacementControl &operator=(PlacementControl &&) = delete;

    // Places the machine as the cell wishes. Returns false if `stop` was set. Throws SetupError
    // with the command.
    [[nodiscard]] bool place(const Cell &cell);
    // Makes end() put the cell's machine back, too: an earlier process may have placed it.
    void take_over(const Cell &cell);
    // Writes what "dnsgauge placement show --json" says to the file. Throws SetupError.
    void look(const Cell &cell, const std::string &file) const;
    // Takes note that the machine was started anew and lost every placement.
    void forget();
    // Puts all machines back, each once. Throws SetupError with the commands that failed.
    void end();

private:
    using Words = std::vector<std::string>;

    [[nodiscard]] bool restore(const Words &command);

    const Experiment &experiment_;
    const std::atomic<bool> &stop_;
    std::set<Words> open_;  // the commands, without an action, for machines that must be put back
    Words command_;         // the last placed cell's command
    Words placed_;          // the last placed cell's wishes
    bool is_known_ = false; // the machine of `command_` is placed as `placed_` says
};

// Returns what two files say that "dnsgauge placement show --json" wrote, one before a cell's
// trials and the other after them. Returns nothing if the files are missing. Throws SetupError if a
// file has another form.
[[nodiscard]] std::optional<PlacementResult> read_cell_placement(const std::string &before,
                                                                 const std::string &after);

// Returns a sentence for each placed setting that had changed after the trials, by the same files.
// Throws SetupError.
[[nodiscard]] std::vector<std::string> read_displacements(const std::string &before,
                                                          const std::string &after);

// Returns the places of the CPUs in such a file. Throws SetupError.
[[nodiscard]] std::vector<CpuPlace> read_places(const std::string &file);

} // namespace dnsgauge
