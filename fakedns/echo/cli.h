// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The command line of "fakedns echo", which fakedns' main() treats as a program of its own.
#pragma once

#include "echo/options.h"

#include <optional>

namespace dnsgauge
{

struct EchoCommand {
    EchoOptions options;
    bool verbose = false;
};

// Returns what the arguments ask for, the first of which is the program's name; nothing when they
// ask for --help, which the function then prints. Throws SetupError, one line, if options are not
// understood or exclude each other.
[[nodiscard]] std::optional<EchoCommand> read_echo_command(int argc, const char *const *argv);

} // namespace dnsgauge
