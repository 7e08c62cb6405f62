// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A command of the user's own, run by /bin/sh in a process group of its own, which is killed when
// this process ends while the command still runs, however it ends (guarded_shell.h).
#pragma once

#include "units/rate.h"

#include <atomic>
#include <string>

namespace dnsgauge
{

// Waits until the shell has ended; what it leaves in the background lives on. What it prints goes
// to stderr. False: `stop` was set first, and its process group has been killed. Throws SetupError
// with the command and its status: it failed, or took longer than `limit` (its group is killed).
[[nodiscard]] bool run_shell_command(const std::string &command, Nanoseconds limit,
                                     const std::atomic<bool> &stop);

} // namespace dnsgauge
