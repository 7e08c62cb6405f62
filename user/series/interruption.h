// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A flag that SIGINT, SIGTERM and SIGHUP set, for work that can be interrupted.
#pragma once

#include <atomic>

namespace dnsgauge
{

// Catches these signals from now on. An ignored SIGHUP stays ignored (nohup). Returns the flag that
// a signal sets, which lives as long as the process.
[[nodiscard]] const std::atomic<bool> &catch_interruption();

// From now on a SIGCONT from the parent process also sets the flag. After Ctrl-C mpirun sends
// SIGCONT at once, and SIGTERM seconds later.
void catch_parents_sigcont();

} // namespace dnsgauge
