// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What makes a search the search it is.
#pragma once

#include "cli/selftest_cover.h"
#include "cli/trial_options.h"
#include "search/repetitions.h"
#include "search/trial_series.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// All that a search was asked for, and understood.
struct SearchRequest {
    TrialOptions options;
    TrialPlan trial; // its rate is the highest
    SearchPlan search;
    BetweenTrials between;
    CoverOptions cover;
    std::optional<SelftestCover> selftest;       // nothing: not looked for yet
    std::optional<CertificateCover> certificate; // likewise
};

// --confirm.
void add_confirm_option(CLI::App &app, unsigned &confirm);

// The first line of its journal: the Tester's set-up as it is now, and every option that results
// depend on. Not the limits of patience between trials: whoever has met one may raise it and go on.
// Throws SetupError: there is no such interface, or it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SearchRequest &request);

// In what it is not what RFC 8219 section 9 demands.
[[nodiscard]] std::vector<std::string> rfc8219_deviations(const SearchRequest &request);

} // namespace dnsgauge
