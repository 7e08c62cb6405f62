// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SIGINT, SIGTERM and SIGHUP as a flag that the work looks at.
#pragma once

#include <atomic>

namespace dnsgauge
{

// Catches them from now on, SIGHUP unless it is ignored (nohup). The flag is set when one
// arrives and lives as long as the process.
[[nodiscard]] const std::atomic<bool> &catch_interruption();

} // namespace dnsgauge
