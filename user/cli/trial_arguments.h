// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of trials and searches for CLI11.
#pragma once

#include "search/search_request.h"

#include <CLI/CLI.hpp>

namespace dnsgauge
{

// Adds those that say through which Tester trials are made, to which server, how long, for which
// zone; all others keep their defaults.
void add_tester_options(CLI::App &app, TrialOptions &options);

// Adds all of them to `app`.
void add_trial_options(CLI::App &app, TrialOptions &options);

// --beyond-selftest and --selftest-record.
void add_cover_options(CLI::App &app, CoverOptions &options);

// --confirm.
void add_confirm_option(CLI::App &app, unsigned &confirm);

} // namespace dnsgauge
