// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What keeps this machine's wall clock right, and how well.
#pragma once

#include "result/trial_result.h"

#include <filesystem>

namespace dnsgauge
{

// Returns what the kernel says about its wall clock (adjtimex(2)), and the running programs that
// set clocks, by the files below `root`.
[[nodiscard]] WallClock read_wall_clock(const std::filesystem::path &root);

} // namespace dnsgauge
