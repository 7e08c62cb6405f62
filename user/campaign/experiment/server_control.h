// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A server that an experiment starts and stops by the user's commands.
#pragma once

#include "experiment/cells.h"
#include "system/shell_command.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// Returns whether some process of the group still runs. An ended process stays in the group until
// its parent waits for it, which a container's init may do late.
[[nodiscard]] bool has_living(pid_t group);

// Starts a server. The destructor ends the server if it still runs. If `start` stays in the
// foreground, its process also ends with this process, however this process ends.
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
    // Returns whether the process of `start` was still running at the last look.
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
