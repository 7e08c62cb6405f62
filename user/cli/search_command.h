// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge search
#pragma once

#include "cli/command.h"
#include "search/search_request.h"

#include <CLI/CLI.hpp>

#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// Adds the subcommand to `app`; when it is chosen, `chosen` is set to what runs it. `words` is the
// whole command line, for the record.
void add_search_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen);

// The long options of the subcommand, without their hyphens.
[[nodiscard]] std::set<std::string> search_option_names();

// The search that `words`, all of them such options, ask for. `starts_anew`: the server is started
// anew before each trial, by who asks. Throws SetupError.
[[nodiscard]] SearchRequest read_search(const std::vector<std::string> &words, bool starts_anew);

} // namespace dnsgauge
