// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// /bin/sh with a command, in a process group of its own, that does not outlive this process: not
// even one that is ended by SIGKILL.
//
// Between us and the shell stands a guard, a small process that does nothing but wait: for the
// shell, whose status it passes on; and for us, of whose end it learns by the socket that joins us.
// Then it kills the shell's process group; if the guard itself is killed, we do. What that does not
// reach: processes that the command has put into a group or a session of their own (daemons,
// setsid).
#pragma once

#include "common/unique_fd.h"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace dnsgauge
{

class GuardedShell
{
public:
    // Its standard input is empty, its standard output our standard error. Throws SetupError.
    explicit GuardedShell(const std::string &command);
    // Kills the shell's process group unless the shell is known to have ended by itself: what such
    // a shell left in the background lives on.
    ~GuardedShell();
    GuardedShell(const GuardedShell &) = delete;
    GuardedShell &operator=(const GuardedShell &) = delete;

    // The shell's process ID, its process group's as well; -1: it has ended.
    [[nodiscard]] pid_t group() const { return shell_; }

    // The shell's status as of waitpid(2), if it ends within `patience`. Throws SetupError: that
    // will never be known, because the guard was killed; so is the shell's process group then.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds patience);

private:
    UniqueFd guard_; // brings the shell's process ID, then its status; ends the guard when closed
    pid_t pid_ = -1;
    pid_t shell_ = -1;
};

} // namespace dnsgauge
