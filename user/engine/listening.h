// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decides how long a run listens after its last query.
//
// A right reply is late, and not lost, until twice the timeout after its query. A run listens until
// twice the timeout after the last query, so that the last queries are classed by the same rule as
// the first. If no query is open, a run stops earlier: after the timeout if it wants copies of
// replies, which count until then, otherwise at once.
#pragma once

#include "units/rate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dnsgauge
{

class Listening
{
public:
    // Replies that came before the end may still be in the driver's ring.
    static constexpr Nanoseconds drain_time = std::chrono::milliseconds(10);
    // The time between two checks for open queries.
    static constexpr Nanoseconds look_interval = std::chrono::milliseconds(10);

    // The last query was sent at `last`. All moments are by the same clock.
    Listening(Nanoseconds last, Nanoseconds timeout, bool wants_copies)
        : timeout_(last + timeout + drain_time), end_(timeout_ + timeout),
          wants_copies_(wants_copies)
    {
    }

    // Returns how long to wait before asking again; nothing if listening is over. `open` is the
    // number of undecided queries.
    [[nodiscard]] Nanoseconds rest(Nanoseconds now, std::uint64_t open) const
    {
        if (now < timeout_ && wants_copies_)
            return timeout_ - now;
        if (now >= end_ || open == 0)
            return Nanoseconds{};
        return std::min(end_ - now, look_interval);
    }

private:
    Nanoseconds timeout_;
    Nanoseconds end_;
    bool wants_copies_;
};

} // namespace dnsgauge
