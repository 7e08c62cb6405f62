// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes a search's trials, says how far the search is, and says what the search found.
#pragma once

#include "search/search.h"
#include "search/search_request.h"
#include "search/shown_trials.h"

#include <atomic>
#include <functional>
#include <string>

namespace dnsgauge
{

// What an experiment, which makes many searches, does around one search.
struct SearchSurroundings {
    // Runs before each trial. Returns false if the user stopped it. May throw SetupError.
    BeforeTrial before_trial = [](TrialSeries & /*series*/) { return true; };
    Nanoseconds beyond{};        // the time for the searches that follow
    bool follows_trials = false; // of an earlier search, or of this search before --resume
};

// Makes the trials that the journal lacks, until `stop` is set. Throws SetupError.
[[nodiscard]] SearchResult make_search(const SearchRequest &request, Journal &journal,
                                       const SearchSurroundings &surroundings,
                                       const std::atomic<bool> &stop);

// Adds to the result what the request says about its circumstances.
void describe(SearchResult &result, const SearchRequest &request);

// Throws SetupError if the search ended because the rate it looked for is not in its range.
void refuse_wrong_range(const SearchResult &result);

// Returns the line that tells a user how to find the highest rate after a search that passed all of
// its range. Returns an empty text if the search found the rate, or did not come so far.
// `goes_beyond`: the user gave --beyond-selftest, and needs no advice to do so.
[[nodiscard]] std::string how_to_find_more(const SearchResult &result, bool goes_beyond);

} // namespace dnsgauge
