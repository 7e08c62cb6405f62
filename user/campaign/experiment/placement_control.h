// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Places the server's machine as cells wish, by "dnsgauge placement" there.
#pragma once

#include "experiment/cells.h"

#include <atomic>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// A cell's command says which machine is placed. Each machine is put back at the latest when the
// object is destroyed. After a crash or kill -9 the record on that machine remains. The next
// placement there, or --resume of the experiment, puts the machine back.
class PlacementControl
{
public:
    PlacementControl(const Experiment &experiment, const std::atomic<bool> &stop);
    ~PlacementControl();
    PlacementControl(const PlacementControl &) = delete;
    PlacementControl &operator=(const PlacementControl &) = delete;

    // Has the machine placed as the cell wishes. Returns false if `stop` was set. Throws SetupError
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
    std::set<Words> open_;  // the commands, without an action, of machines to be put back
    Words command_;         // the last placed cell's command
    Words placed_;          // the last placed cell's wishes
    bool is_known_ = false; // the machine of `command_` is as `placed_` says
};

} // namespace dnsgauge
