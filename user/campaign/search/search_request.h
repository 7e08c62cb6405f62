// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a search was asked for, and what makes it the search it is.
#pragma once

#include "search/cover.h"
#include "search/repetitions.h"
#include "search/trial_options.h"
#include "search/trial_series.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// As they were given.
struct SearchOptions {
    TrialOptions trial;
    CoverOptions cover;
    std::string min_rate = "1";
    std::string max_rate;
    std::string resolution = "1";
    unsigned repeat = 20;
    unsigned confirm = 0;
    std::string journal;
    bool resume = false;
    std::optional<std::string> before_trial;
    std::string before_trial_timeout = "30";
    std::string ready_timeout = "60";
    bool fresh_names = false;
    std::string pause = "5";
};

// All that a search was asked for, and understood.
struct SearchRequest {
    TrialOptions options;
    TrialPlan trial; // its rate is the highest
    SearchPlan search;
    BetweenTrials between;
    CoverOptions cover;
    std::optional<SelftestCover> selftest;       // nothing: not looked for yet
    std::optional<CertificateCover> certificate; // likewise
    unsigned invalid_retries = 0;                // what it is part of makes an invalid trial again
};

// The search that `options` ask for. `starts_anew`: who asks starts the server anew before each
// trial. Throws SetupError.
[[nodiscard]] SearchRequest understand(const SearchOptions &options, bool starts_anew);

// Looks for the self-test that covers the search, and for the certificate that vouches for it.
// Throws SetupError: there is no such self-test, and the request does not say that this is to be
// marked.
void require_selftest(SearchRequest &request);

// How long a trial takes with all that is done before it.
[[nodiscard]] Nanoseconds trial_time(const SearchRequest &request);

// The first line of its journal: the Tester's set-up as it is now, and every option that results
// depend on. Not the limits of patience between trials: whoever has met one may raise it and go on.
// Throws SetupError: there is no such interface, or it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SearchRequest &request);

// In what it is not what RFC 8219 section 9 demands.
[[nodiscard]] std::vector<std::string> rfc8219_deviations(const SearchRequest &request);

} // namespace dnsgauge
