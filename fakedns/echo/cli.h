// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The command line of "fakedns echo".
#pragma once

#include "fakedns/echo/options.h"

namespace CLI
{
class App;
} // namespace CLI

namespace dnsgauge
{

// The options as they are written.
struct EchoArguments {
    EchoOptions options;
    std::string model = to_string(EchoOptions{}.model);
    std::string cpus;
    std::string xdp_mode = to_string(XdpMode::automatic);
    bool verbose = false;
};

// The subcommand of `app` that was given if it has been parsed().
CLI::App *add_echo(CLI::App &app, EchoArguments &arguments);

// Throws SetupError: options that are not understood or do not go together.
[[nodiscard]] EchoOptions understand_echo(const EchoArguments &arguments);

} // namespace dnsgauge
