// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Searches for the highest rate, with every trial in a journal.
#pragma once

#include "record/journal.h"
#include "search/repetitions.h"

#include <functional>

namespace dnsgauge
{

// Where a search is when its next trial is due.
struct SearchPlace {
    SearchTurn turn;
    // Trials that have begun before, as far as can be known: one that a crash has cut short counts.
    std::uint64_t begun = 0;
    std::uint64_t left = 0; // trials to come, this one included
};

// Makes a trial; none if it was interrupted before it had begun. May throw SetupError.
using TrialRunner = std::function<std::optional<TrialResult>(const SearchPlace &)>;

// What a search came to whose last bisection is in this state.
[[nodiscard]] SearchEnd end_of(Bisection::State state);

// From where the journal ends, until all is done or something ends it. Each trial is in the journal
// before the next begins; one that is there is not made again. Throws SetupError: what `run` or the
// journal throw, or a record of the journal is none of this search.
[[nodiscard]] SearchResult run_search(const SearchPlan &plan, Journal &journal,
                                      const TrialRunner &run);

// A search as far as its journal tells it.
struct RecalledSearch {
    SearchResult result;    // its end is `interrupted` where trials are missing
    std::uint64_t left = 0; // trials to come
};

// Makes no trial and leaves the journal as it is. Throws SetupError: a record is none of this
// search.
[[nodiscard]] RecalledSearch recall_search(const SearchPlan &plan, Journal &journal);

} // namespace dnsgauge
