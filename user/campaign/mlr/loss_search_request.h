// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request for a Multiple Loss Ratio Search: the values of its options, and what follows from
// these values.
#pragma once

#include "mlr/loss_goal.h"
#include "options/option.h"
#include "search/search_request.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace dnsgauge
{

// What only this kind of search has. The trials that decide take TrialPlan::duration.
struct LossPlan {
    std::vector<double> loss_percents = {0, 0.01, 0.1, 1}; // ascending
    double exceed_percent = 50;
    double width_percent = 0.5;
    Nanoseconds first_duration = std::chrono::seconds(1);
    Nanoseconds duration_sum{}; // 0: twice the duration
};

// Returns the options that only this kind of search has.
[[nodiscard]] Options loss_options(LossPlan &plan);

// Fills in what follows from the options of both. Throws SetupError if options contradict each
// other, or if one was given that only the binary search has.
void complete(SearchRequest &request, LossPlan &plan);

// Returns the goals of the search, in the order of LossPlan::loss_percents.
[[nodiscard]] std::vector<LossGoal> goals_of(const SearchRequest &request, const LossPlan &plan);

// Returns the first line of the search's journal. Throws SetupError if there is no such interface,
// or if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SearchRequest &request,
                                                    const LossPlan &plan);

} // namespace dnsgauge
