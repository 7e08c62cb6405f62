// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When a sender's queries are due: the sender's share of one schedule for all senders. ConstantRate
// and PacedSchedule are Schedules (workload/query.h).
#pragma once

#include "units/pace.h"
#include "units/rate.h"
#include "workload/open_window.h"

#include <cstdint>
#include <random>
#include <variant>

namespace dnsgauge
{

// Share `number` of `of` shares has queries number, number + of, number + 2 of, ... of the
// schedule.
struct Share {
    std::uint32_t number = 0;
    std::uint32_t of = 1;

    // Returns how many of the schedule's first `queries` queries are in the share.
    [[nodiscard]] std::uint64_t count(std::uint64_t queries) const
    {
        return queries / of + (number < queries % of ? 1 : 0);
    }
    // Returns the number in the schedule of the share's query `index`.
    [[nodiscard]] std::uint64_t query(std::uint64_t index) const { return index * of + number; }
};

// Returns the window of each of `senders` senders. Together they do not exceed the pace's rate.
[[nodiscard]] OpenWindow window_of(const Pace &pace, std::uint32_t senders);

// Walks queries first, first + stride, first + 2 stride, ... of the schedule due_at(rate, i), from
// the trial's start, with additions alone: quotient and remainder are kept apart, so the times
// never deviate from due_at().
class ConstantRate
{
public:
    ConstantRate(Rate rate, std::uint64_t first, std::uint64_t stride)
        : rate_(rate.per_second), step_(due_at(rate, stride).count()),
          step_rest_(rest(rate, stride)), due_(due_at(rate, first).count()),
          rest_(rest(rate, first))
    {
    }

    // Returns when the present query is due, in nanoseconds from the start.
    [[nodiscard]] std::int64_t due() const { return due_; }

    void advance()
    {
        due_ += step_;
        rest_ += step_rest_;
        if (rest_ >= rate_) {
            rest_ -= rate_;
            due_++;
        }
    }

private:
    static std::uint64_t rest(Rate rate, std::uint64_t index)
    {
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint64_t>(static_cast<wide>(index) * nanoseconds_per_second %
                                          rate.per_second);
    }

    std::uint64_t rate_;
    std::int64_t step_;
    std::uint64_t step_rest_;
    std::int64_t due_;
    std::uint64_t rest_;
};

// The times of a Poisson process with `queries` events in `duration`: as many independent uniform
// numbers, in ascending order.
class PoissonTimes
{
public:
    PoissonTimes(std::uint64_t seed, std::uint64_t queries, Nanoseconds duration);

    [[nodiscard]] std::int64_t due() const { return due_; }
    void skip(std::uint64_t queries);

private:
    std::mt19937_64 random_;
    std::uint64_t left_; // queries after the present one
    double duration_;
    double rest_ = 1; // the share of the duration that follows the present query
    std::int64_t due_ = 0;
};

// The times of steps: queries of a step are due at its beginning plus i / rate.
class StepTimes
{
public:
    explicit StepTimes(const SchedulePlan &plan);

    [[nodiscard]] std::int64_t due() const { return due_; }
    void skip(std::uint64_t queries);

private:
    void enter(std::uint64_t step);
    void set_due();

    SchedulePlan plan_;
    std::uint64_t step_ = 0;
    std::uint64_t index_ = 0;   // of the present query in the step
    std::uint64_t queries_ = 0; // of the step
    Nanoseconds begin_{};       // of the step
    Rate rate_;                 // of the step
    std::int64_t due_ = 0;
};

// The times of a ramp.
class RampTimes
{
public:
    explicit RampTimes(const SchedulePlan &plan);

    [[nodiscard]] std::int64_t due() const { return due_; }
    void skip(std::uint64_t queries);

private:
    SchedulePlan plan_;
    std::uint64_t queries_;
    std::uint64_t index_ = 0;
    std::int64_t due_ = 0;
};

// Walks queries first, first + stride, first + 2 stride, ... of the plan's schedule, whose pace is
// not constant. Each sender walks the whole schedule, so that all have the same.
class PacedSchedule
{
public:
    PacedSchedule(const SchedulePlan &plan, std::uint64_t first, std::uint64_t stride);

    // Returns when the present query is due, in nanoseconds from the start; never, after the last
    // one.
    [[nodiscard]] std::int64_t due() const
    {
        return std::visit([](const auto &times) { return times.due(); }, times_);
    }
    void advance() { skip(stride_); }

private:
    using Times = std::variant<PoissonTimes, StepTimes, RampTimes>;
    [[nodiscard]] static Times times_of(const SchedulePlan &plan);

    void skip(std::uint64_t queries)
    {
        std::visit([queries](auto &times) { times.skip(queries); }, times_);
    }

    std::uint64_t stride_;
    Times times_;
};

} // namespace dnsgauge
