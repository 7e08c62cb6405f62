// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time for which the driver certainly kept queries that were due.
#pragma once

#include "units/rate.h"

#include <algorithm>
#include <cstdint>

namespace dnsgauge
{

// A queue sends packets in the order in which it got them. A sender has the queries first, first +
// stride, ... of the schedule due_at(rate, i). So the number of queries that are gone tells which
// is the oldest query that the driver still has.
class DriverLag
{
public:
    DriverLag(Rate rate, std::uint64_t first, std::uint64_t stride)
        : rate_(rate), first_(first), stride_(stride)
    {
    }

    // Takes note that `elapsed_ns` after the start, or later, the first `gone` of the sender's
    // `given` queries were gone and the next query was not.
    void see(std::uint64_t given, std::uint64_t gone, std::int64_t elapsed_ns)
    {
        if (gone < given)
            most_ = std::max(most_, elapsed_ns - due_at(rate_, first_ + gone * stride_).count());
    }

    // Returns the longest time that a query was due and not gone. The true time is longer by less
    // than the time between two calls of see().
    [[nodiscard]] std::int64_t most_ns() const { return most_; }

private:
    Rate rate_;
    std::uint64_t first_;
    std::uint64_t stride_;
    std::int64_t most_ = 0;
};

} // namespace dnsgauge
