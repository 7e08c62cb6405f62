// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How far a search is: on stderr, a line for each trial, and on a terminal one that is written
// over.
#pragma once

#include "search/search.h"
#include "trial/trial.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Says on stderr what is to be known before a measurement.
void say_notes(const std::vector<std::string> &notes);

class SearchProgress
{
public:
    // `trial_guess`: how long a trial and what is done before it may take, until that is known.
    // `label`: what is to be said of every result. `beyond`: what is to come when the search is
    // done.
    SearchProgress(unsigned repeat, Nanoseconds duration, Nanoseconds trial_guess,
                   std::string label, Nanoseconds beyond = {});

    void trial_begins(const SearchPlace &place);
    void trial_runs(const TrialProgress &progress);
    void trial_ends(const std::optional<TrialResult> &result);

private:
    using Clock = std::chrono::steady_clock;

    void tell_plan();
    [[nodiscard]] std::string time_left(std::uint64_t trials) const;

    unsigned repeat_;
    Nanoseconds duration_;
    bool live_;
    bool is_told_ = false;
    SearchPlace place_;
    Clock::time_point begin_;
    Nanoseconds spent_{};     // on the trials since this process began
    std::int64_t made_ = 0;   // so many
    Nanoseconds trial_guess_; // for one
    std::string label_;
    Nanoseconds beyond_;
};

} // namespace dnsgauge
