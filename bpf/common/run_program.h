// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What main() of each program does.
#pragma once

#include <functional>

namespace dnsgauge
{

// Returns the exit status of the program `name`: that of `run`, or 2 where anything threw an
// exception, or standard output was not written, of which a line on standard error then tells.
[[nodiscard]] int run_program(const char *name, const std::function<int()> &run);

} // namespace dnsgauge
