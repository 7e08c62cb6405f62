// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reading the command lines of programs whose options CLI11 holds.
//
// CLI11 takes the compiler seconds: only the source that has a program's options includes it.
#pragma once

namespace CLI
{
class App;
}

namespace dnsgauge
{

// Reads the command line into what the options of `app` are bound to, and runs the callbacks of the
// commands. Numbers are decimal, and --help is laid out as dnsgauge lays out its own. Returns false
// if --help or --version was asked for, and has been printed. Throws SetupError, and what callbacks
// throw.
[[nodiscard]] bool read_arguments(CLI::App &app, int count, const char *const *arguments);

} // namespace dnsgauge
