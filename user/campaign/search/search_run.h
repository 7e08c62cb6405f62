// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes a search's trials, tells how far it is, and says what came of it.
#pragma once

#include "search/search.h"
#include "search/search_request.h"

#include <atomic>
#include <functional>
#include <string>

namespace dnsgauge
{

// What is done around a search's trials by who makes many searches.
struct SearchSurroundings {
    // Before each trial; false: stopped. It may throw SetupError.
    std::function<bool(TrialSeries &)> before_trial = [](TrialSeries & /*series*/) { return true; };
    Nanoseconds beyond{};        // how long all takes that is to come behind the search
    bool follows_trials = false; // of another search, or of this one before it was taken up again
};

// Makes the trials that the journal lacks, until `stop` is set. Throws SetupError.
[[nodiscard]] SearchResult make_search(const SearchRequest &request, Journal &journal,
                                       const SearchSurroundings &surroundings,
                                       const std::atomic<bool> &stop);

// Adds to a result what the request says of it.
void describe(SearchResult &result, const SearchRequest &request);

// Throws SetupError, if the search ended because its range does not hold the rate it looked for.
void refuse_wrong_range(const SearchResult &result);

} // namespace dnsgauge
