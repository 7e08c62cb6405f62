// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/mlr/loss_ratio_search.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

// The seconds of trials at one load: in good and in bad, in long and in short trials.
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

constexpr unsigned stage_count = 3;
constexpr double coarser = 2; // times the width of the next stage

void check(const LossGoal &goal)
{
    const auto is_share = [](double share) { return share >= 0 && share < 1; };
    if (!is_share(goal.loss_ratio) || !is_share(goal.exceed_ratio))
        throw std::invalid_argument("a goal's ratio must be at least 0 and below 1");
    if (!(goal.width > 0))
        throw std::invalid_argument("a goal's width must be above 0");
    if (goal.initial_duration <= Nanoseconds{} || goal.final_duration < goal.initial_duration ||
        goal.duration_sum < goal.final_duration)
        throw std::invalid_argument("a goal's durations must be above 0 and ascend");
}

// Returns the time that lies the share `part` of the way from `first` to `last`, by ratios.
Nanoseconds between(Nanoseconds first, Nanoseconds last, double part)
{
    const double from = seconds(first);
    return Nanoseconds(std::llround(from * std::pow(seconds(last) / from, part) * 1e9));
}

// The first stage makes one short trial at a load; the last one is the goal.
std::vector<LossGoal> stages_of(const LossGoal &goal)
{
    std::vector<LossGoal> stages(stage_count, goal);
    for (unsigned i = 0; i + 1 < stage_count; i++) {
        const double part = static_cast<double>(i) / (stage_count - 1);
        LossGoal &stage = stages[i];
        stage.final_duration = between(goal.initial_duration, goal.final_duration, part);
        stage.duration_sum = between(goal.initial_duration, goal.duration_sum, part);
        stage.duration_sum = std::max(stage.duration_sum, stage.final_duration);
        stage.width = goal.width * std::pow(coarser, stage_count - 1 - i);
    }
    return stages;
}

double ratio_of(Rate high, Rate low)
{
    return static_cast<double>(high.per_second) / static_cast<double>(low.per_second);
}

Rate rounded_down(double rate)
{
    return Rate{static_cast<std::uint64_t>(std::max(1.0, std::floor(rate)))};
}

} // namespace

LoadClass classify(std::span<const LossTrial> trials, const LossGoal &goal)
{
    const Times times = add_up(trials, goal);
    const double excused = times.good_short * goal.exceed_ratio / (1 - goal.exceed_ratio);
    const double bad = times.bad_long + std::max(0.0, times.bad_short - excused);
    const double whole = std::max(times.good_long + bad, seconds(goal.duration_sum));
    const double most_bad = whole * goal.exceed_ratio;
    // The load is decided if the missing time cannot change its class: it is a lower bound even if
    // all of that time is bad, or an upper bound even if all of it is good.
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
    std::ranges::sort(deciding, {}, &LossTrial::loss_ratio);
    // Trials count from the best one on, until only the share of the time that is excused is left.
    double counting = std::max(time, seconds(goal.duration_sum)) * (1 - goal.exceed_ratio);
    for (const LossTrial &trial : deciding) {
        counting -= seconds(trial.duration);
        if (counting <= 0)
            return static_cast<double>(trial.load.per_second) * (1 - trial.loss_ratio);
    }
    return 0;
}

LossRatioSearch::LossRatioSearch(Rate min, Rate max, std::vector<LossGoal> goals)
    : min_(min), max_(max), goals_(std::move(goals))
{
    if (min_ > max_)
        throw std::invalid_argument("the lowest load is above the highest one");
    if (goals_.empty())
        throw std::invalid_argument("a search needs a goal");
    for (const LossGoal &goal : goals_) {
        check(goal);
        hunts_.push_back({.stages = stages_of(goal)});
    }
    plan();
}

LoadClass LossRatioSearch::class_of(Rate load, const LossGoal &goal) const
{
    if (not_offered_ && load >= *not_offered_)
        return LoadClass::upper_bound;
    const auto found = trials_.find(load);
    return found == trials_.end() ? LoadClass::undecided : classify(found->second, goal);
}

LoadBounds LossRatioSearch::bounds(const LossGoal &goal) const
{
    LoadBounds bounds;
    bounds.upper = not_offered_;
    for (const auto &[load, trials] : trials_) {
        if (not_offered_ && load >= *not_offered_)
            break;
        const LoadClass its = classify(trials, goal);
        if (its == LoadClass::lower_bound)
            bounds.lower = load;
        if (its == LoadClass::upper_bound) {
            bounds.upper = load;
            break;
        }
    }
    return bounds;
}

bool LossRatioSearch::is_done(const LoadBounds &bounds, const LossGoal &goal) const
{
    if (bounds.lower && bounds.upper)
        return ratio_of(*bounds.upper, *bounds.lower) <= 1 + goal.width ||
               bounds.upper->per_second - bounds.lower->per_second <= 1;
    return bounds.upper == min_ || bounds.lower == max_;
}

// Returns a bound of the previous stage, if a trial there would narrow this stage's interval.
std::optional<Rate> LossRatioSearch::earlier_bound(const Hunt &hunt, const LoadBounds &now) const
{
    if (hunt.stage == 0)
        return std::nullopt;
    const LoadBounds before = bounds(hunt.stages[hunt.stage - 1]);
    for (const std::optional<Rate> &load : {before.lower, before.upper})
        if (load && (!now.lower || *load > *now.lower) && (!now.upper || *load < *now.upper))
            return load;
    return std::nullopt;
}

// Supposes that the server answers the same number of queries per second in every trial above its
// limit. The load that loses just the goal's share of its queries follows from that number.
std::optional<Rate> LossRatioSearch::limit_by_losses(const LoadBounds &now,
                                                     const LossGoal &goal) const
{
    if (!now.upper || now.upper == not_offered_)
        return std::nullopt;
    double answered = 0;
    for (const LossTrial &trial : trials_.at(*now.upper))
        answered = std::max(answered, ratio_of(trial.load, Rate{1}) * (1 - trial.loss_ratio));
    const double limit = answered / (1 - goal.loss_ratio);
    // Two trials, one on each side of the limit, may give both bounds.
    for (const double side : {1 - goal.width / 3, 1 + goal.width / 3}) {
        const Rate load = std::max(rounded_down(limit * side), min_);
        if ((!now.lower || load > *now.lower) && load < *now.upper)
            return load;
    }
    return std::nullopt;
}

// Returns a load below the upper bound. By ratio it is twice as far away as the next higher upper
// bound.
Rate LossRatioSearch::lower_yet(Rate upper, const LossGoal &goal) const
{
    double step = 1 + goal.width;
    for (auto above = trials_.upper_bound(upper); above != trials_.end(); ++above)
        if (ratio_of(above->first, upper) >= step &&
            classify(above->second, goal) == LoadClass::upper_bound) {
            step = std::pow(ratio_of(above->first, upper), 2);
            break;
        }
    const Rate load = rounded_down(static_cast<double>(upper.per_second) / step);
    return std::clamp(load, min_, Rate{upper.per_second - 1});
}

// Returns a load above the lower bound. By ratio it is twice as far away as the next lower lower
// bound.
Rate LossRatioSearch::higher_yet(Rate lower, const LossGoal &goal) const
{
    double step = 1 + goal.width;
    for (auto below = trials_.lower_bound(lower); below != trials_.begin();) {
        --below;
        if (classify(below->second, goal) == LoadClass::lower_bound) {
            step = std::max(step, std::pow(ratio_of(lower, below->first), 2));
            break;
        }
    }
    const Rate load = rounded_down(static_cast<double>(lower.per_second) * step);
    return std::clamp(load, Rate{lower.per_second + 1}, max_);
}

Rate LossRatioSearch::choose(Hunt &hunt) const
{
    const LossGoal &goal = hunt.stages[hunt.stage];
    const LoadBounds now = bounds(goal);
    if (const std::optional<Rate> load = earlier_bound(hunt, now))
        return *load;
    if (!now.lower && !now.upper)
        return max_;
    // Losses mislead if a server answers less the more it is asked. So the losses choose only every
    // other load. The others are the middle of the interval.
    if (std::exchange(hunt.trusts_losses, !hunt.trusts_losses))
        if (const std::optional<Rate> load = limit_by_losses(now, goal))
            return *load;
    if (!now.upper)
        return higher_yet(*now.lower, goal);
    if (!now.lower)
        return now.upper == not_offered_ ? std::max(Rate{now.upper->per_second / 2}, min_)
                                         : lower_yet(*now.upper, goal);
    const double middle = std::sqrt(static_cast<double>(now.lower->per_second) *
                                    static_cast<double>(now.upper->per_second));
    return std::clamp(rounded_down(middle), Rate{now.lower->per_second + 1},
                      Rate{now.upper->per_second - 1});
}

void LossRatioSearch::plan()
{
    next_.reset();
    for (std::size_t stage = 0; stage < stage_count; stage++)
        for (std::size_t i = 0; i < hunts_.size(); i++) {
            Hunt &hunt = hunts_[i];
            if (hunt.stage != stage)
                continue;
            const LossGoal &goal = hunt.stages[stage];
            if (hunt.load && class_of(*hunt.load, goal) != LoadClass::undecided)
                hunt.load.reset();
            if (!hunt.load && is_done(bounds(goal), goal)) {
                hunt.stage++;
                hunt.trusts_losses = true;
                continue;
            }
            if (!hunt.load)
                hunt.load = choose(hunt);
            next_ = {*hunt.load, goal.final_duration, i};
            return;
        }
}

void LossRatioSearch::feed(const LossTrial &trial)
{
    trials_[trial.load].push_back(trial);
    plan();
}

void LossRatioSearch::feed_not_offered()
{
    not_offered_ = next_.value().load;
    plan();
}

LossOutlook LossRatioSearch::outlook() const
{
    auto limit = static_cast<double>(max_.per_second);
    for (const auto &[load, trials] : trials_)
        for (const LossTrial &trial : trials)
            if (trial.loss_ratio > goals_.back().loss_ratio)
                limit = std::min(limit, ratio_of(load, Rate{1}) * (1 - trial.loss_ratio));
    LossRatioSearch rest = *this;
    LossOutlook outlook;
    while (const std::optional<LossTurn> turn = rest.next()) {
        const double share = limit / static_cast<double>(turn->load.per_second);
        rest.feed({turn->load, turn->duration, std::max(0.0, 1 - share)});
        outlook.trials++;
        outlook.time += turn->duration;
    }
    return outlook;
}

GoalResult LossRatioSearch::result(std::size_t goal) const
{
    GoalResult result;
    result.bounds = bounds(goals_.at(goal));
    if (result.bounds.lower)
        result.conditional_throughput =
            conditional_throughput(trials_.at(*result.bounds.lower), goals_.at(goal));
    return result;
}

} // namespace dnsgauge
