// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When a sender's queries are due at a constant rate: the sender's share of one schedule for all
// senders. ConstantRate is a Schedule (workload/query.h).
#pragma once

#include "units/rate.h"

#include <cstdint>

namespace dnsgauge
{

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

} // namespace dnsgauge
