// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a search is asked for, and what makes it the search it is.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "search/cover.h"
#include "search/repetitions.h"
#include "search/trial_series.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct SearchRequest {
    TrialPlan trial; // its rate is the highest
    SearchPlan search;
    BetweenTrials between;
    bool fresh_names = false;
    CoverOptions cover;
    std::optional<SelftestCover> selftest;       // nothing: not looked for yet
    std::optional<CertificateCover> certificate; // likewise
    std::string scaled_down; // in what the request's experiment is smaller; empty: in nothing
};

// Returns a request with the defaults of all options.
[[nodiscard]] SearchRequest usual_request();

// Returns the options that make the search: those that an experiment may set, too.
[[nodiscard]] Options search_options(SearchRequest &request);

// --confirm, which the self-test has as well.
[[nodiscard]] Option confirm_option(unsigned &confirm);

// Fills in what follows from the options that were read into the request. `starts_anew`: who asks
// starts the server anew before each trial. Throws SetupError: the options contradict each other.
void complete(SearchRequest &request, bool starts_anew);

// Returns the request that these options make. Throws SetupError.
[[nodiscard]] SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew);

// Looks for the self-test that covers the search, and for the certificate that vouches for it.
// Throws SetupError: there is no such self-test, and the request does not say that this is to be
// marked.
void require_selftest(SearchRequest &request);

// Returns how long a trial takes with all that is done before it.
[[nodiscard]] Nanoseconds trial_time(const SearchRequest &request);

// Returns the first line of the search's journal: the Tester's set-up as it is now, and every
// option that results depend on. Throws SetupError: there is no such interface, or it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SearchRequest &request);

// Returns the caveats that are known before the search: its deviations from RFC 8219 section 9, the
// self-test and the certificate that were looked for, and in what it is scaled down.
[[nodiscard]] Caveats caveats_of(const SearchRequest &request);

} // namespace dnsgauge
