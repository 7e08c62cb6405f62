// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How long the driver certainly kept queries that were due.
#pragma once

#include "units/rate.h"

#include <algorithm>
#include <cstdint>

namespace dnsgauge
{

// A sender has the queries first, first + stride, ... of the schedule due_at(rate, i), and its
// queue sends them in this order. So the number of queries that have left the driver tells which
// one is the oldest that the driver still has.
class DriverLag
{
public:
    DriverLag(Rate rate, std::uint64_t first, std::uint64_t stride)
        : rate_(rate), first_(first), stride_(stride)
    {
    }

    // Takes note of one look at the driver: of the `given` queries that the sender has handed over,
    // the first `gone` have left the driver. The look was no earlier than `elapsed_ns` after the
    // start.
    void see(std::uint64_t given, std::uint64_t gone, std::int64_t elapsed_ns)
    {
        if (gone < given)
            most_ = std::max(most_, elapsed_ns - due_at(rate_, first_ + gone * stride_).count());
    }

    // Returns the longest time for which a query was due and still in the driver. The true time is
    // longer by less than the time between two calls of see().
    [[nodiscard]] std::int64_t most_ns() const { return most_; }

private:
    Rate rate_;
    std::uint64_t first_;
    std::uint64_t stride_;
    std::int64_t most_ = 0;
};

} // namespace dnsgauge
