// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Multiple Loss Ratio Search (RFC 9971): one search for several goals, whose trials all goals
// share. The class makes no trials: it names the next trial, and is fed what the trial said.
//
// Each goal has three stages, each with longer trials and a narrower interval than the stage
// before: short trials show where to look, and only trials of the last stage decide. All goals end
// a stage before one begins the next. Within a stage a goal looks for its bounds
//   1. where the stage before found them,
//   2. where the losses of a failed trial say that the server's limit is,
//   3. in the middle of the interval, or twice as far away as before where there is no interval.
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
    Nanoseconds duration_sum{};     // of the trials that decide about a load: one trial's or longer
};

// What a trial said about its load.
struct LossTrial {
    Rate load;
    Nanoseconds duration{}; // as it was intended
    double loss_ratio = 0;  // queries without a valid answer, as a share of the queries sent
};

// The class of a load: whether the load, by its trials so far, is a bound of what a server
// sustains.
enum class LoadClass {
    undecided,   // more trials at this load can still make it either bound
    lower_bound, // enough time passed in good trials
    upper_bound, // too much time passed in bad trials
};

// Returns the class of a load by all trials at this load, whatever further trials may bring. A
// trial shorter than `goal.final_duration` is a short trial: short trials alone never make a lower
// bound. Bad short trials count against the load only beyond what the good short trials excuse.
[[nodiscard]] LoadClass classify(std::span<const LossTrial> trials, const LossGoal &goal);

// Returns the conditional throughput of a lower bound in answers per second: the load without the
// losses of the worst trial that counts, after the share of trials that `goal.exceed_ratio`
// excuses.
[[nodiscard]] double conditional_throughput(std::span<const LossTrial> trials,
                                            const LossGoal &goal);

// The bounds of a goal: the least load that is an upper bound, and the highest lower bound below.
struct LoadBounds {
    std::optional<Rate> lower;
    std::optional<Rate> upper;
};

struct GoalResult {
    // Without a lower bound even the least load failed. Without an upper bound the highest passed.
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
    // Takes what a trial at the load and of the duration that next() named said.
    void feed(const LossTrial &trial);
    // Takes that no trial at the load that next() named can be offered. The load bounds the search
    // like an upper bound, and says nothing about the server. Callable only above the lowest load.
    void feed_not_offered();

    // Returns the lowest load that could not be offered; nothing if there was none. An upper bound
    // of a result that is this load is none of the server's.
    [[nodiscard]] std::optional<Rate> not_offered() const { return not_offered_; }
    [[nodiscard]] const std::vector<LossGoal> &goals() const { return goals_; }
    // Returns what is still to do if the server has a hard limit where the trials so far suggest.
    [[nodiscard]] LossOutlook outlook() const;
    // Returns the result of a goal by the trials so far.
    [[nodiscard]] GoalResult result(std::size_t goal) const;

private:
    // The search of one goal.
    struct Hunt {
        std::vector<LossGoal> stages; // the last one is the goal
        std::size_t stage = 0;        // stages.size(): the goal has its result
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
