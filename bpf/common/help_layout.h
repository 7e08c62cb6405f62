// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// --help of programs whose options CLI11 holds, laid out as dnsgauge lays out its own.
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
