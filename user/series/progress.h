// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Says on stderr how far a series is: a line for each trial. On a terminal a last line is updated
// while the trial runs.
#pragma once

#include "series/journalled_trials.h"
#include "trial/trial.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the verdict, with the reason if the trial did not pass.
[[nodiscard]] std::string verdict_text(const TrialResult &trial);

// Writes to stderr what users should know before a measurement.
void say_notes(const std::vector<std::string> &notes);

// The words of the lines: for a whole run through the rates, for a trial, and for a trial that has
// ended.
struct ProgressWords {
    const char *series = "search";
    const char *trial = "trial";
    std::string (*outcome)(const TrialResult &) = verdict_text;
    unsigned repeat = 1; // whole runs
};

class SearchProgress
{
public:
    // `trial_guess` is the time for a trial and the work before it, until the first trial has shown
    // the true time. `label` is what every form of the result says besides its figures. `beyond` is
    // the time for the work after this series.
    SearchProgress(Nanoseconds duration, Nanoseconds trial_guess, std::string label,
                   ProgressWords words = {}, Nanoseconds beyond = {});

    void trial_begins(const SearchPlace &place);
    void trial_runs(const TrialProgress &progress);
    void trial_ends(const std::optional<TrialResult> &result);

private:
    using Clock = std::chrono::steady_clock;

    void tell_plan();
    [[nodiscard]] std::string turn_text() const;
    [[nodiscard]] std::string time_left() const;

    Nanoseconds duration_;
    bool live_;
    bool is_told_ = false;
    SearchPlace place_;
    Clock::time_point begin_;
    Nanoseconds spent_{};     // on the trials that this process has made
    std::int64_t made_ = 0;   // the number of these trials
    Nanoseconds trial_guess_; // for one
    std::string label_;
    Nanoseconds beyond_;
    ProgressWords words_;
};

} // namespace dnsgauge
