// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge calibrate
#pragma once

#include "cli/command.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dnsgauge
{

// Adds the subcommand to `app`; when it is chosen, `chosen` is set to what runs it. `words` is the
// whole command line, for the record.
void add_calibrate_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen);

} // namespace dnsgauge
