// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a user's command by /bin/sh in a process group of its own. If this process ends while the
// command runs, however it ends, the group is killed (guarded_shell.h).
#pragma once

#include <atomic>
#include <chrono>
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

} // namespace dnsgauge
