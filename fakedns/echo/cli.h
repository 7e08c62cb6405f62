// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// "fakedns echo", which is a program of its own.
#pragma once

#include "echo/options.h"
#include "options/command.h"

#include <string>
#include <vector>

namespace dnsgauge
{

struct EchoCommand {
    EchoOptions options;
    bool verbose = false;
};

// Returns what the words of the command line ask for, the first two of which are "fakedns echo".
// Throws SetupError, one line, if options are not understood or exclude each other.
[[nodiscard]] EchoCommand read_echo_command(const std::vector<std::string> &words);

[[nodiscard]] Command echo_command();

} // namespace dnsgauge
