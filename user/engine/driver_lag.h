// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How late queries were that the driver kept, as far as that is sure.
#pragma once

#include "units/rate.h"

#include <algorithm>
#include <cstdint>

namespace dnsgauge
{

// A queue sends in the order in which it was given. So of a sender's queries, which are first,
// first + stride, ... of the schedule due_at(rate, i), the oldest that the driver still has is
// known by their number.
class DriverLag
{
public:
    DriverLag(Rate rate, std::uint64_t first, std::uint64_t stride)
        : rate_(rate), first_(first), stride_(stride)
    {
    }

    // At a moment `elapsed_ns` after the start, or later, the first `gone` of the sender's `given`
    // queries were gone and the next one was not.
    void see(std::uint64_t given, std::uint64_t gone, std::int64_t elapsed_ns)
    {
        if (gone < given)
            most_ = std::max(most_, elapsed_ns - due_at(rate_, first_ + gone * stride_).count());
    }

    // The longest that a query was due and not gone yet: it was longer by less than the time
    // between two calls of see().
    [[nodiscard]] std::int64_t most_ns() const { return most_; }

private:
    Rate rate_;
    std::uint64_t first_;
    std::uint64_t stride_;
    std::int64_t most_ = 0;
};

} // namespace dnsgauge
