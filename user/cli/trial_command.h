// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge trial
#pragma once

#include "cli/exit_status.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

using Command = std::function<ExitStatus()>;

// Adds the subcommand to `app`; when it is chosen, `chosen` is set to what runs it. `words` is the
// whole command line, for the record.
void add_trial_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen);

} // namespace dnsgauge
