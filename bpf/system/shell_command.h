// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs users' commands by /bin/sh, each in a process group of its own.
#pragma once

#include "system/unique_fd.h"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

namespace dnsgauge
{

// Runs the command and waits until the shell has ended; processes that it leaves in the background
// live on. The command's output goes to stderr. Returns false if `stop` was set first; the process
// group is then killed. Throws SetupError, with the command and its status, if the command failed,
// or if it took longer than `limit` (its group is killed). `limit_name` is what the user calls the
// limit, for that message.
[[nodiscard]] bool run_shell_command(const std::string &command, std::chrono::nanoseconds limit,
                                     const std::atomic<bool> &stop,
                                     const std::string &limit_name = {});

// Runs a command by /bin/sh in a process group of its own. The group does not outlive this process,
// even if SIGKILL ends this process.
//
// A guard stands between this process and the shell: a small process that waits for both. When the
// shell ends, the guard passes on its status. When this process ends, which the guard learns by a
// socket, the guard kills the shell's process group. If somebody kills the guard, this process
// kills the group. Neither kill reaches processes that the command has put into a group or a
// session of their own (daemons, setsid).
class GuardedShell
{
public:
    // Starts the shell. Its standard input is empty, and its standard output is this process'
    // standard error. Throws SetupError.
    explicit GuardedShell(const std::string &command);
    // Kills the shell's process group, unless wait() has seen the shell end by itself. Processes
    // that such a shell left in the background live on.
    ~GuardedShell();
    GuardedShell &operator=(GuardedShell &&) = delete;

    // Returns the process ID of the shell, which is also the ID of its process group; -1 if the
    // shell has ended.
    [[nodiscard]] pid_t group() const { return shell_; }

    // Returns the shell's status in the form of waitpid(2), or nothing if the shell does not end
    // within `patience`. If somebody killed the guard, the status will never be known: kills the
    // shell's process group, and throws SetupError.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds patience);

private:
    UniqueFd guard_; // gets the shell's process ID, then its status; closing it ends the guard
    pid_t pid_ = -1;
    pid_t shell_ = -1;
};

} // namespace dnsgauge
