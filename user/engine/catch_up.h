// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decides how fast a sender that stood still sends what is overdue.
//
// Both classes yield the schedule's time: the sender may send all queries that are due by then. All
// times are from the start, in nanoseconds.
#pragma once

#include "result/stalls.h"
#include "units/rate.h"

#include <algorithm>
#include <cstdint>

namespace dnsgauge
{

// Returns the time between two looks at the clock from which on a sender stood still. All senders
// together send `batches` queries at a time. A longer batch takes longer, and is no standstill.
inline Nanoseconds standstill(Nanoseconds stall_limit, std::uint64_t batches)
{
    return stall_limit * static_cast<std::int64_t>(std::max(burst_allowed, batches)) /
           static_cast<std::int64_t>(burst_allowed);
}

// The schedule's time is the clock's time, so all that is overdue is sent at once.
class FullSpeed
{
public:
    [[nodiscard]] static std::int64_t at(std::int64_t now, std::int64_t /*due*/) { return now; }
};

// After a stall the schedule's time begins with the first overdue query. Then it runs faster than
// the clock by a factor, until it has caught up with the clock.
class CatchUp
{
public:
    static constexpr double least = 1.1; // factors
    static constexpr double most = 100;

    // The schedule's time runs at `per_mille` thousandths of the clock's pace, more than 1000. A
    // sender stood still if it did not look at the clock for longer than `limit`.
    CatchUp(std::uint32_t per_mille, Nanoseconds limit)
        : gain_(std::int64_t{per_mille} - thousand), limit_(limit.count())
    {
    }

    // Returns the schedule's time at `now`, which is no earlier than at the last call. The next
    // query is due at `due`.
    std::int64_t at(std::int64_t now, std::int64_t due)
    {
        const std::int64_t passed = now - last_;
        last_ = now;
        if (passed > limit_)
            behind_ = now > due ? (now - due) * thousand : 0;
        else if (behind_ != 0)
            behind_ = std::max(behind_ - passed * gain_, std::int64_t{0});
        return now - behind_ / thousand;
    }

private:
    static constexpr std::int64_t thousand = 1000;

    std::int64_t gain_;
    std::int64_t limit_;
    std::int64_t last_ = 0;
    std::int64_t behind_ = 0; // thousandths of nanoseconds
};

} // namespace dnsgauge
