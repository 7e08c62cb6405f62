// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/schedule.h"

#include <cmath>
#include <limits>

namespace dnsgauge
{

namespace
{

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// Returns a number above 0 and at most 1, from the upper 53 bits.
double uniform(std::uint64_t random)
{
    return static_cast<double>((random >> 11U) + 1) * 0x1p-53;
}

} // namespace

// The gap is rounded up.
OpenWindow window_of(const Pace &pace, std::uint32_t senders)
{
    return OpenWindow(static_cast<std::uint32_t>(pace.window),
                      pace.most ? due_at(*pace.most, senders) + Nanoseconds(1) : Nanoseconds{});
}

PoissonTimes::PoissonTimes(std::uint64_t seed, std::uint64_t queries, Nanoseconds duration)
    : random_(seed), left_(queries), duration_(static_cast<double>(duration.count()))
{
    skip(1);
}

// The next of the n times that are left is the least of n uniform numbers above the present time.
// The share of the rest after it is distributed as the n-th root of one uniform number.
void PoissonTimes::skip(std::uint64_t queries)
{
    for (; queries != 0 && left_ != 0; queries--)
        rest_ *= std::exp(std::log(uniform(random_())) / static_cast<double>(left_--));
    due_ = queries != 0 ? never : static_cast<std::int64_t>(duration_ * (1 - rest_));
}

StepTimes::StepTimes(const SchedulePlan &plan) : plan_(plan)
{
    enter(0);
    set_due();
}

void StepTimes::enter(std::uint64_t step)
{
    step_ = step;
    queries_ = plan_.queries_in_step(step);
    begin_ = plan_.begin_of(step);
    rate_ = plan_.rate_of(step);
}

void StepTimes::skip(std::uint64_t queries)
{
    index_ += queries;
    set_due();
}

void StepTimes::set_due()
{
    while (index_ >= queries_) {
        if (step_ + 1 >= plan_.pace.rates()) {
            due_ = never;
            return;
        }
        index_ -= queries_;
        enter(step_ + 1);
    }
    due_ = (begin_ + due_at(rate_, index_)).count();
}

RampTimes::RampTimes(const SchedulePlan &plan) : plan_(plan), queries_(plan.queries())
{
    skip(0);
}

void RampTimes::skip(std::uint64_t queries)
{
    index_ += queries;
    due_ = index_ < queries_ ? plan_.due_in_ramp(index_).count() : never;
}

PacedSchedule::Times PacedSchedule::times_of(const SchedulePlan &plan)
{
    if (plan.pace.kind == Pace::Kind::poisson)
        return PoissonTimes(plan.pace.seed, plan.queries(), plan.duration);
    if (plan.pace.kind == Pace::Kind::ramp)
        return RampTimes(plan);
    return StepTimes(plan);
}

PacedSchedule::PacedSchedule(const SchedulePlan &plan, std::uint64_t first, std::uint64_t stride)
    : stride_(stride), times_(times_of(plan))
{
    skip(first);
}

} // namespace dnsgauge
