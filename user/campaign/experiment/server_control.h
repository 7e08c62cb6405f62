// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A server that an experiment starts and stops by the user's commands.
#pragma once

#include "experiment/cells.h"
#include "system/shell_command.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// Returns whether a process of the group has not ended. A process that has ended stays in the group
// until its parent waits for it, and a container's init may do so late.
[[nodiscard]] bool has_living(pid_t group);

// Starts a server, and ends it at the latest when the object is destroyed. A process that `start`
// leaves in the foreground also ends when this process ends, in whatever way.
class ServerControl
{
public:
    ServerControl(ServerCommands commands, const RunLimits &limits, const std::atomic<bool> &stop);
    ~ServerControl();
    ServerControl &operator=(ServerControl &&) = delete;

    // Runs the command `prepare`. This function and start() return false if `stop` was set. Both
    // throw SetupError with the server's name.
    [[nodiscard]] bool prepare();
    // Starts the server, and waits until the command `ready` succeeds, if there is one.
    [[nodiscard]] bool start();
    [[nodiscard]] bool end();

    // Throws SetupError if the server has ended by itself.
    void check_alive();
    // Returns whether the process of `start` had not ended when somebody last looked.
    [[nodiscard]] bool is_in_foreground() const { return process_.has_value(); }

private:
    [[nodiscard]] bool wait_until_ready();
    [[nodiscard]] std::string last_words() const;
    void end_processes();

    ServerCommands commands_;
    RunLimits limits_;
    const std::atomic<bool> &stop_;
    std::optional<GuardedShell> process_;
    bool is_started_ = false;
};

} // namespace dnsgauge
