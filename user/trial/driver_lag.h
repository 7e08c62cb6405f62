// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How late queries were that the driver kept, as far as that is sure.
#pragma once

#include "trial/schedule.h"

#include <algorithm>

namespace dnsgauge
{

// A queue sends in the order in which it was given. So of a sender's queries the oldest that the
// driver still has is known by their number, and when it was due by the schedule.
class DriverLag
{
public:
    // `schedule` is at the sender's first query.
    explicit DriverLag(const Schedule &schedule) : oldest_(schedule) {}

    // At a moment `elapsed_ns` after the start, or later, the first `gone` of the sender's `given`
    // queries were gone and the next one was not.
    void see(std::uint64_t given, std::uint64_t gone, std::int64_t elapsed_ns)
    {
        for (; gone_ < gone; gone_++)
            oldest_.advance();
        if (gone_ < given)
            most_ = std::max(most_, elapsed_ns - oldest_.due());
    }

    // The longest that a query was due and not gone yet: it was longer by less than the time
    // between two calls of see().
    [[nodiscard]] std::int64_t most_ns() const { return most_; }

private:
    Schedule oldest_;
    std::uint64_t gone_ = 0;
    std::int64_t most_ = 0;
};

} // namespace dnsgauge
