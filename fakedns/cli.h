// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The command line of fakedns.
#pragma once

#include "fakedns/internet_server.h"
#include "fakedns/server_options.h"
#include "internet/world_options.h"

#include "userland/name_range.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dnsgauge
{

// What --internet asks for.
struct InternetCommand {
    InternetSetup setup;
    WorldOptions world;
    std::string names;                // the file of names that shall exist; empty: none
    std::vector<std::string> predict; // names, and serve nothing
    bool prints_hints = false;        // and serves nothing
};

struct CommandLine {
    ServerOptions server;
    bool verbose = false;
    std::optional<NameRange> predict;        // print the faults of these names, and serve nothing
    std::optional<InternetCommand> internet; // instead of all else
};

// Returns what the arguments ask for; nothing when they ask for --help or --version, which the
// function then prints. Reads the configuration file that the arguments name, anew at each call.
// Throws SetupError, one line, for anything that is not understood or out of range.
[[nodiscard]] std::optional<CommandLine> read_command_line(int argc, const char *const *argv);

} // namespace dnsgauge
