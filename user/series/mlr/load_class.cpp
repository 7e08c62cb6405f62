// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/mlr/load_class.h"

#include <algorithm>
#include <vector>

namespace dnsgauge
{

namespace
{

// The seconds of trials at one load, by what the trials said and by how long they took.
struct Times {
    double good_long = 0;
    double bad_long = 0;
    double good_short = 0;
    double bad_short = 0;
};

Times add_up(std::span<const LossTrial> trials, const LossGoal &goal)
{
    Times times;
    for (const LossTrial &trial : trials) {
        const bool is_long = trial.duration >= goal.final_duration;
        const bool is_bad = trial.loss_ratio > goal.loss_ratio;
        double &sum = is_long ? (is_bad ? times.bad_long : times.good_long)
                              : (is_bad ? times.bad_short : times.good_short);
        sum += seconds(trial.duration);
    }
    return times;
}

} // namespace

LoadClass classify(std::span<const LossTrial> trials, const LossGoal &goal)
{
    const Times times = add_up(trials, goal);
    const double excused = times.good_short * goal.exceed_ratio / (1 - goal.exceed_ratio);
    const double bad = times.bad_long + std::max(0.0, times.bad_short - excused);
    const double whole = std::max(times.good_long + bad, seconds(goal.duration_sum));
    const double most_bad = whole * goal.exceed_ratio;
    // The load is a lower bound already if it stays one when all time that is still missing turns
    // out bad, and an upper bound already if it stays one when all of that time turns out good.
    if (whole - times.good_long <= most_bad)
        return LoadClass::lower_bound;
    return bad > most_bad ? LoadClass::upper_bound : LoadClass::undecided;
}

double conditional_throughput(std::span<const LossTrial> trials, const LossGoal &goal)
{
    std::vector<LossTrial> deciding;
    double time = 0;
    for (const LossTrial &trial : trials)
        if (trial.duration >= goal.final_duration) {
            deciding.push_back(trial);
            time += seconds(trial.duration);
        }
    std::sort(deciding.begin(), deciding.end(), [](const LossTrial &left, const LossTrial &right) {
        return left.loss_ratio < right.loss_ratio;
    });
    // Excuses the worst trials: trials count from the best one on, until only the excused share of
    // the time is left.
    double counting = std::max(time, seconds(goal.duration_sum)) * (1 - goal.exceed_ratio);
    for (const LossTrial &trial : deciding) {
        counting -= seconds(trial.duration);
        if (counting <= 0)
            return static_cast<double>(trial.load.per_second) * (1 - trial.loss_ratio);
    }
    return 0;
}

} // namespace dnsgauge
