// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/sweep/sweep_steps.h"

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

// A bisected sweep divides no interval narrower than an eighth of a linear sweep's: closer steps
// would follow the noise.
constexpr std::uint64_t finest_division = 4;

double position(const TrialSummary &step)
{
    return static_cast<double>(step.rate.per_second);
}

// Returns how far the curve is, at steps[at], from the straight line between that step's
// neighbours: answered queries per second. Before the first step comes the rate 0, at which nothing
// is answered. Behind the last step nothing is known.
double bend_at(std::span<const TrialSummary> steps, std::size_t at)
{
    if (at + 1 == steps.size())
        return 0;
    const double below = at == 0 ? 0 : position(steps[at - 1]);
    const double answered_below = at == 0 ? 0 : steps[at - 1].answered_rate();
    const TrialSummary &above = steps[at + 1];
    const double way = (position(steps[at]) - below) / (position(above) - below);
    const double line = answered_below + way * (above.answered_rate() - answered_below);
    return std::abs(steps[at].answered_rate() - line);
}

std::uint64_t finest_interval(const SweepPlan &plan)
{
    const std::uint64_t range = plan.max.per_second - plan.min.per_second;
    return std::max<std::uint64_t>(2, range / (finest_division * (plan.rates - 1)));
}

} // namespace

std::vector<Rate> rates_of(const SweepPlan &plan)
{
    const std::uint64_t range = plan.max.per_second - plan.min.per_second;
    const double ratio =
        static_cast<double>(plan.max.per_second) / static_cast<double>(plan.min.per_second);
    const std::uint64_t last = plan.rates - 1;
    std::vector<Rate> rates;
    switch (plan.spacing) {
    case Spacing::linear:
        for (std::uint64_t i = 0; i <= last; i++) {
            __extension__ using wide = unsigned __int128;
            rates.push_back(
                Rate{plan.min.per_second + static_cast<std::uint64_t>(wide{range} * i / last)});
        }
        return rates;
    case Spacing::logarithmic:
        for (std::uint64_t i = 0; i < last; i++)
            rates.push_back(Rate{static_cast<std::uint64_t>(std::llround(
                static_cast<double>(plan.min.per_second) *
                std::pow(ratio, static_cast<double>(i) / static_cast<double>(last))))});
        rates.push_back(plan.max);
        return rates;
    case Spacing::bisected:
        break;
    }
    return {plan.min, Rate{plan.min.per_second + range / 2}, plan.max};
}

// At both ends of the interval that holds the bend the curve is farther from straight lines than
// elsewhere, so the sum of both ends' bends is greatest there. Of intervals with the same sum, as
// where a server still keeps up in all but the last one, the one with the highest rates is chosen.
std::optional<Rate> sharpest_bend(std::span<const TrialSummary> steps, std::uint64_t finest)
{
    std::optional<Rate> found;
    double sharpest = 0;
    std::uint64_t widest = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); i++) {
        const std::uint64_t low = steps[i].rate.per_second;
        const std::uint64_t width = steps[i + 1].rate.per_second - low;
        const double bend = bend_at(steps, i) + bend_at(steps, i + 1);
        if (width < std::max<std::uint64_t>(2, finest) || bend < sharpest ||
            (bend == sharpest && width < widest))
            continue;
        sharpest = bend;
        widest = width;
        found = Rate{low + width / 2};
    }
    return found;
}

SweepSteps::SweepSteps(const SweepPlan &plan) : plan_(plan), rates_(rates_of(plan)) {}

std::optional<SearchTurn> SweepSteps::next() const
{
    if (at_ == rates_.size())
        return std::nullopt;
    return SearchTurn{repetition_, static_cast<unsigned>(at_ + 1), rates_[at_]};
}

void SweepSteps::feed(const TrialSummary &step)
{
    if (step.verdict == Verdict::invalid)
        return;
    if (repetition_ == 1)
        made_.push_back(step);
    at_++;
    if (at_ < rates_.size())
        return;
    if (plan_.spacing == Spacing::bisected && repetition_ == 1)
        bisect();
    if (at_ < rates_.size() || repetition_ == plan_.repeat)
        return;
    // Later repetitions try the rates that the first one found in ascending order.
    std::ranges::sort(rates_);
    repetition_++;
    at_ = 0;
}

// Adds the rate that tells most, unless there are rates enough.
void SweepSteps::bisect()
{
    if (rates_.size() == plan_.rates)
        return;
    std::vector<TrialSummary> steps = made_;
    std::ranges::sort(steps, {}, &TrialSummary::rate);
    if (const std::optional<Rate> rate = sharpest_bend(steps, finest_interval(plan_)))
        rates_.push_back(*rate);
}

TrialsLeft SweepSteps::left() const
{
    const bool is_open = plan_.spacing == Spacing::bisected && repetition_ == 1;
    const std::uint64_t each = is_open ? plan_.rates : rates_.size();
    return {at_ == rates_.size() ? 0 : (plan_.repeat - repetition_ + 1) * each - at_};
}

} // namespace dnsgauge
