// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A server that an experiment starts and stops, by commands of the user's own.
#pragma once

#include "experiment/cells.h"
#include "search/guarded_shell.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// Starts a server and ends it, at the latest with this object; a process that start has left in the
// foreground ends with this process, too, however that ends.
class ServerControl
{
public:
    ServerControl(ServerCommands commands, const RunLimits &limits, const std::atomic<bool> &stop);
    ~ServerControl();
    ServerControl(const ServerControl &) = delete;
    ServerControl &operator=(const ServerControl &) = delete;

    // These return false if `stop` was set, and throw SetupError with the server's name.
    [[nodiscard]] bool prepare();
    // Returns when `ready` has succeeded, or at once where there is none.
    [[nodiscard]] bool start();
    [[nodiscard]] bool end();

    // Throws SetupError: it has ended by itself.
    void check_alive();

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
