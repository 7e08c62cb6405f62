// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Searches for the highest rate, and records every trial in a journal.
#pragma once

#include "record/journal.h"
#include "search/repetitions.h"

#include <cstdint>

namespace dnsgauge
{

// Returns the end of a search whose last bisection is in this state.
[[nodiscard]] SearchEnd end_of(Bisection::State state);

// Makes the search from where the journal ends, until the search is complete or something ends it.
// Records each trial in the journal before the next one begins, and makes no recorded trial again.
// Throws SetupError if a record of the journal does not belong to this search, and what `run` or
// the journal throw.
[[nodiscard]] SearchResult run_search(const SearchPlan &plan, Journal &journal,
                                      const TrialRunner &run);

// A search, as far as its journal tells it.
struct RecalledSearch {
    SearchResult result;    // its end is `interrupted` where trials are missing
    std::uint64_t left = 0; // trials to come
};

// Returns what the journal says about the search. Makes no trial, and leaves the journal as it is.
// Throws SetupError if a record does not belong to this search.
[[nodiscard]] RecalledSearch recall_search(const SearchPlan &plan, Journal &journal);

} // namespace dnsgauge
