// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What main() of each program does.
#pragma once

#include <functional>

namespace dnsgauge
{

// Returns the exit status of the program `name`, which `run` returned. Returns 2, and says why in a
// line on standard error, if `run` threw an exception or standard output could not be written.
[[nodiscard]] int run_program(const char *name, const std::function<int()> &run);

} // namespace dnsgauge
