// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge experiment
#pragma once

#include "cli/command.h"

#include <CLI/CLI.hpp>

namespace dnsgauge
{

// Adds the subcommand to `app`; when it is chosen, `chosen` is set to what runs it.
void add_experiment_command(CLI::App &app, Command &chosen);

} // namespace dnsgauge
