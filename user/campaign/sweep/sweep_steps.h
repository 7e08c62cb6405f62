// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The steps of a sweep: which trial comes next, and what the trials so far found. The class makes
// no trials and reads no files.
#pragma once

#include "result/sweep_result.h"
#include "search/journalled_trials.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dnsgauge
{

struct SweepPlan {
    Rate min;
    Rate max; // above min
    Spacing spacing = Spacing::linear;
    std::uint64_t rates = 20; // 2 or more, 3 or more if bisected; no more than there are from min
                              // to max
    unsigned repeat = 1;
    unsigned invalid_retries = 10; // times in a row that an invalid trial is made again
};

// Returns the rates of a plan, ascending. Rates are whole numbers, so that two of a logarithmic
// plan may be the same. A bisected plan begins with the three rates that this function returns:
// both ends and the middle.
[[nodiscard]] std::vector<Rate> rates_of(const SweepPlan &plan);

// Returns the middle of the interval between two neighbours among `steps` (ascending by rate) in
// which the response-rate curve bends most, because a step there tells most of the curve. Where the
// curve does not bend, returns the middle of the widest interval. Only intervals at least as wide
// as `finest` are divided; returns nothing where there is none.
[[nodiscard]] std::optional<Rate> sharpest_bend(std::span<const SweepStep> steps,
                                                std::uint64_t finest);

class SweepSteps
{
public:
    explicit SweepSteps(const SweepPlan &plan);

    // Returns the next step; nothing when all are made.
    [[nodiscard]] std::optional<SearchTurn> next() const;
    // Takes what the step found that next() named. `step.rate` is the rate of that turn.
    void feed(const SweepStep &step);

    // Returns how many steps are to come.
    [[nodiscard]] std::uint64_t left() const;
    [[nodiscard]] const std::vector<SweepStep> &made() const { return made_; }

private:
    void bisect();

    SweepPlan plan_;
    std::vector<Rate> rates_; // of a repetition, as far as they are known
    std::vector<SweepStep> made_;
    unsigned repetition_ = 1;
    std::size_t at_ = 0; // the next step's place in rates_
};

} // namespace dnsgauge
