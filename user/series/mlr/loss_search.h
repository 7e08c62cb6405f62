// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Multiple Loss Ratio Search (RFC 9971): its options, its trials, and the forms of its result.
#pragma once

#include "series/search/search.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What only this kind of search has. The trials that decide take TrialPlan::duration.
struct LossPlan {
    std::vector<double> loss_percents = {0, 0.01, 0.1, 1}; // ascending
    double exceed_percent = 50;
    double width_percent = 0.5;
    Nanoseconds first_duration = std::chrono::seconds(1);
    Nanoseconds duration_sum{}; // 0 means twice the duration
};

struct LossSearchRequest : SearchRequest {
    static constexpr const char *kind = "loss-search";

    LossPlan loss;
};

// What was found for one loss ratio.
struct LossBounds {
    double loss_percent = 0; // the most that a good trial loses
    // The highest rate that is a lower bound. A missing value means that even the lowest rate is an
    // upper bound, or that the search ended too early to tell.
    std::optional<Rate> lower;
    // The lowest rate that is an upper bound. A missing value means that the highest rate is a
    // lower bound, that the Tester could not offer the next rate, or that the search ended too
    // early to tell.
    std::optional<Rate> upper;
    double conditional_throughput = 0; // answers per second at the lower bound; 0 without one
};

// Its rows are all trials except invalid ones.
struct LossSearchResult : SeriesResult {
    Rate min_rate;
    Rate max_rate;
    LossPlan plan;

    std::vector<LossBounds> goals;
    // The lowest rate that the Tester could not offer, if it kept a goal from its upper bound.
    std::optional<Rate> not_offered;

    // Returns true: even a search without a row tells something, that no goal has a bound.
    [[nodiscard]] static bool has_figures() { return true; }
};

// Makes the search by `run`: see series_run.h.
[[nodiscard]] LossSearchResult run_series(const LossSearchRequest &request, Journal &journal,
                                          const TrialRunner &run);
// Returns the caveats that are known before the search.
[[nodiscard]] Caveats caveats_of(const LossSearchRequest &request);
[[nodiscard]] ProgressWords words_of(const LossSearchRequest &request);

// Returns the command for searches by both methods.
[[nodiscard]] Command search_command(std::shared_ptr<Testers> testers = nullptr);

void fields(Fields &row, LossSearchResult &result);

// Returns a table with a row for each loss ratio.
[[nodiscard]] std::string to_text(const LossSearchResult &result);

} // namespace dnsgauge
