// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All repetitions of a search: which trial comes next, and the results so far. The class makes no
// trials and reads no files. After it was fed a journal's trials, it is where the search was.
#pragma once

#include "result/series_result.h"
#include "series/journalled_trials.h"
#include "series/search/bisection.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

struct SearchPlan {
    SearchRange range;
    unsigned repeat = 20;
    unsigned confirm = 0;
    unsigned invalid_retries = 10; // times in a row that an invalid trial is made again
    // Later searches begin within this of the first one's result; 0 means in the middle of the
    // range.
    double near_percent = 0;
};

// Counts the trials of a turn whose rate was more than the Tester can offer.
class OfferTries
{
public:
    // `min` is the lowest rate of the range.
    OfferTries(Rate min, unsigned invalid_retries) : min_(min), retries_(invalid_retries) {}

    // Takes an invalid trial. Returns whether the series is to go on at lower rates: the range has
    // some, and enough trials said that the Tester cannot offer this rate.
    [[nodiscard]] bool is_enough(const TrialSummary &trial);
    // Begins another turn.
    void reset() { tries_ = 0; }

private:
    Rate min_;
    unsigned retries_;
    unsigned tries_ = 0;
};

// Returns the end of a search whose last bisection is in this state.
[[nodiscard]] TrialsEnd end_of(Bisection::State state);

class Repetitions : public Strategy
{
public:
    // `begun_max` is the highest rate of the range when the search began, if it has been raised
    // since.
    explicit Repetitions(const SearchPlan &plan, std::optional<Rate> begun_max = {});

    // Returns the next trial; nothing if the search is complete, or if its range is wrong.
    [[nodiscard]] std::optional<SearchTurn> next() const override;
    void feed(const TrialSummary &trial) override;
    // Takes the record that raises the range of a search that passed all of it.
    bool take(const std::string &kind, const Journal::Json &record) override;
    void begin(const Journal &journal) override;
    std::optional<Journal::Json> resumed() override;
    [[nodiscard]] TrialsEnd end() const override { return end_of(state()); }
    // Returns how many trials are to come, if no failed rate is tried again.
    [[nodiscard]] TrialsLeft left() const override { return {trials_left()}; }
    [[nodiscard]] std::uint64_t trials_left() const;

    // Raises the upper end of the range, which the last search has passed. This search goes on.
    void raise(Rate max);

    [[nodiscard]] Bisection::State state() const { return bisection_.state(); }
    [[nodiscard]] const std::vector<Repetition> &all() const { return repetitions_; }

    // Returns the most trials that the search can take, invalid ones aside.
    [[nodiscard]] static std::uint64_t most_trials(const SearchPlan &plan);

private:
    // Returns where a later search begins.
    [[nodiscard]] std::optional<Guess> guess() const;

    SearchPlan plan_;        // its range as the journal has it
    Rate max_;               // of the range, as the request has it
    bool is_raised_ = false; // and the journal does not say so yet
    Bisection bisection_;    // of the last repetition
    OfferTries tries_;       // at next()
    std::vector<Repetition> repetitions_;
};

} // namespace dnsgauge
