// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Multiple Loss Ratio Search (RFC 9971): one search for several goals, which share all trials.
// The class makes no trials: it names the next one, and is fed its result.
//
// Each goal has three stages. Each stage has longer trials and a narrower interval than the
// previous one: short trials show where to look, and only trials of the last stage decide. No goal
// begins a stage before all goals have ended the previous one. Within a stage a goal looks for its
// bounds
//   1. where the previous stage found them,
//   2. at the server's limit, as the losses of a failed trial suggest it,
//   3. in the middle of the interval; without an interval, twice as far away as before.
#pragma once

#include "units/rate.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace dnsgauge
{

// A goal: what a load must do to count as sustained.
struct LossGoal {
    double loss_ratio = 0;   // 0 to below 1: a trial that loses more is a bad trial
    double exceed_ratio = 0; // 0 to below 1: the share of bad trials' time that a load may have
    double width = 0.005;    // above 0: the upper bound is at most this share above the lower bound
    Nanoseconds initial_duration{}; // of the shortest trials, which only show where to look
    Nanoseconds final_duration{};   // of the trials that decide: initial_duration or longer
    Nanoseconds duration_sum{}; // of all trials that decide about a load: final_duration or longer
};

// What a trial said about its load.
struct LossTrial {
    Rate load;
    Nanoseconds duration{}; // as it was intended
    double loss_ratio = 0;  // queries without a valid answer, as a share of the queries sent
};

// The class of a load by its trials so far.
enum class LoadClass {
    undecided,   // more trials at this load can still make it either bound
    lower_bound, // enough time passed in good trials
    upper_bound, // too much time passed in bad trials
};

// Returns the class of a load by all trials at this load; no further trial changes it. A trial
// shorter than `goal.final_duration` is a short trial: short trials alone never make a lower bound.
// Bad short trials count against the load only beyond what the good short trials excuse.
[[nodiscard]] LoadClass classify(std::span<const LossTrial> trials, const LossGoal &goal);

// Returns the conditional throughput of a lower bound in answers per second: the load less the
// losses of the worst trial that counts. `goal.exceed_ratio` excuses the worst trials, which do not
// count.
[[nodiscard]] double conditional_throughput(std::span<const LossTrial> trials,
                                            const LossGoal &goal);

// The bounds of a goal: the lowest load that is an upper bound, and the highest lower bound below
// it.
struct LoadBounds {
    std::optional<Rate> lower;
    std::optional<Rate> upper;
};

struct GoalResult {
    // No lower bound means that even the lowest load failed; no upper bound, that the highest
    // passed.
    LoadBounds bounds;
    double conditional_throughput = 0; // answers per second; 0 without a lower bound
};

// A trial to make.
struct LossTurn {
    Rate load;
    Nanoseconds duration{};
    std::size_t goal = 0; // the place of the goal that asks for the trial
};

// What is still to do.
struct LossOutlook {
    unsigned trials = 0;
    Nanoseconds time{}; // of these trials
};

class LossRatioSearch
{
public:
    // Loads are whole rates from `min` to `max`. Throws std::invalid_argument if `min` is above
    // `max`, if there is no goal, or if a goal contradicts itself.
    LossRatioSearch(Rate min, Rate max, std::vector<LossGoal> goals);

    // Returns the next trial; nothing when every goal has its result.
    [[nodiscard]] std::optional<LossTurn> next() const { return next_; }
    // Takes the result of the trial that next() named.
    void feed(const LossTrial &trial);
    // Takes note that the Tester cannot offer the load that next() named. The load then bounds the
    // search like an upper bound, and says nothing about the server. Callable only above the lowest
    // load.
    void feed_not_offered();

    // Returns the lowest load that could not be offered; nothing if there was none. If a result's
    // upper bound is this load, it is the Tester's limit, not the server's.
    [[nodiscard]] std::optional<Rate> not_offered() const { return not_offered_; }
    [[nodiscard]] const std::vector<LossGoal> &goals() const { return goals_; }
    // Returns what is still to do, supposing a hard limit where the trials so far suggest one.
    [[nodiscard]] LossOutlook outlook() const;
    // Returns the result of a goal by the trials so far.
    [[nodiscard]] GoalResult result(std::size_t goal) const;

private:
    // The search of one goal.
    struct Hunt {
        std::vector<LossGoal> stages; // the last one is the goal
        std::size_t stage = 0;        // stages.size() once the goal has its result
        std::optional<Rate> load{};   // under trial
        bool trusts_losses = true;    // the next load may follow from a failed trial's losses
    };

    [[nodiscard]] LoadClass class_of(Rate load, const LossGoal &goal) const;
    [[nodiscard]] LoadBounds bounds(const LossGoal &goal) const;
    [[nodiscard]] bool is_done(const LoadBounds &bounds, const LossGoal &goal) const;
    [[nodiscard]] std::optional<Rate> earlier_bound(const Hunt &hunt, const LoadBounds &now) const;
    [[nodiscard]] std::optional<Rate> limit_by_losses(const LoadBounds &now,
                                                      const LossGoal &goal) const;
    [[nodiscard]] Rate lower_yet(Rate upper, const LossGoal &goal) const;
    [[nodiscard]] Rate higher_yet(Rate lower, const LossGoal &goal) const;
    Rate choose(Hunt &hunt) const;
    void plan();

    Rate min_;
    Rate max_;
    std::vector<LossGoal> goals_;
    std::vector<Hunt> hunts_;
    std::map<Rate, std::vector<LossTrial>> trials_; // by load
    std::optional<LossTurn> next_;
    std::optional<Rate> not_offered_;
};

} // namespace dnsgauge
