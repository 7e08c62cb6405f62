// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge search
#pragma once

#include "cli/command.h"
#include "cli/search_parameters.h"
#include "search/search.h"

#include <CLI/CLI.hpp>

#include <functional>
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

// Looks for the self-test that covers it, and for the certificate that vouches for it. Throws
// SetupError: there is no such self-test, and the request does not say that this is to be marked.
void require_selftest(SearchRequest &request);

// What is done around a search's trials by who makes many searches.
struct SearchSurroundings {
    // Before each trial; false: stopped. It may throw SetupError.
    std::function<bool(TrialSeries &)> before_trial = [](TrialSeries & /*series*/) { return true; };
    Nanoseconds beyond{};        // how long all takes that is to come behind the search
    bool follows_trials = false; // of another search, or of this one before it was taken up again
};

// Makes the trials that the journal lacks. Throws SetupError.
[[nodiscard]] SearchResult make_search(const SearchRequest &request, Journal &journal,
                                       const SearchSurroundings &surroundings);

// Adds to a result what the request says of it.
void describe(SearchResult &result, const SearchRequest &request);

// How long a trial takes with all that is done before it.
[[nodiscard]] Nanoseconds trial_time(const SearchRequest &request);

} // namespace dnsgauge
