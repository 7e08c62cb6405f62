// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The whole search, again and again: which trial comes next, and what all of them have come to. It
// knows neither trials nor files: a search that is taken up again is fed from its journal, and is
// then where it was.
#pragma once

#include "result/search_result.h"
#include "search/bisection.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

struct SearchPlan {
    SearchRange range;
    unsigned repeat = 20;
    unsigned confirm = 0;
};

// A trial that is to be made. Both count from 1.
struct SearchTurn {
    unsigned repetition = 1;
    unsigned trial = 1;
    Rate rate;
};

class Repetitions
{
public:
    explicit Repetitions(const SearchPlan &plan);

    // Empty when all is done, or the range was found to be wrong.
    [[nodiscard]] std::optional<SearchTurn> next() const;
    // What came of the trial that next() was. An invalid one changes nothing.
    void feed(const SearchTrial &trial);

    // How many trials are to come, if no failed rate is tried again.
    [[nodiscard]] std::uint64_t trials_left() const;
    [[nodiscard]] Bisection::State state() const { return bisection_.state(); }
    [[nodiscard]] const std::vector<Repetition> &all() const { return repetitions_; }

    // Never more trials than this, invalid ones aside.
    [[nodiscard]] static std::uint64_t most_trials(const SearchPlan &plan);

private:
    SearchPlan plan_;
    Bisection bisection_; // of the last repetition
    std::vector<Repetition> repetitions_;
};

} // namespace dnsgauge
