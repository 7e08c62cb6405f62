// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The command line of fakedns.
#pragma once

#include "internet_server/server.h"
#include "server/options.h"

#include "dns/name_range.h"
#include "options/program.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct CommandLine {
    ServerOptions server;
    bool verbose = false;
    std::optional<NameRange> predict;        // print the faults of these names, and serve nothing
    std::optional<InternetCommand> internet; // instead of all else
};

// Returns what the words of the command line ask for. At each call reads the configuration file
// that the words name. Throws SetupError, one line, for anything that is not understood or out of
// range.
[[nodiscard]] CommandLine read_command_line(const std::vector<std::string> &words);

// Returns what fakedns does without a subcommand. `run` reads the words.
[[nodiscard]] Command
server_command(const std::function<void(const std::vector<std::string> &words)> &run);

} // namespace dnsgauge
