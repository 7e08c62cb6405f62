// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the trials of a Multiple Loss Ratio Search, and tells how far the search is.
#pragma once

#include "mlr/loss_search_request.h"
#include "record/journal.h"
#include "result/loss_search_result.h"
#include "search/journalled_trials.h"

#include <atomic>

namespace dnsgauge
{

// Makes the search from where the journal ends, until every goal has its bounds or something ends
// the search. Throws SetupError if a record of the journal does not belong to this search, and what
// `run` or the journal throw.
[[nodiscard]] LossSearchResult run_loss_search(const SearchRequest &request, const LossPlan &plan,
                                               Journal &journal, const TrialRunner &run);

// Makes the trials that the journal lacks, until `stop` is set. Throws SetupError.
[[nodiscard]] LossSearchResult make_loss_search(const SearchRequest &request, const LossPlan &plan,
                                                Journal &journal, const std::atomic<bool> &stop);

} // namespace dnsgauge
