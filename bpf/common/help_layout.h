// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lays out --help of programs that keep their options in CLI11, in the way of dnsgauge's own
// --help.
#pragma once

namespace CLI
{
class App;
}

namespace dnsgauge
{

// Sets --help of the program and of all its commands: lines of a terminal's width, the required
// options first, ranges and defaults behind the description. A footer stays as it is; a command
// without one has the program's.
void lay_out_help(CLI::App &app);

} // namespace dnsgauge
