// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// For how long a trial listens after its last query.
//
// A right reply is late, and not lost, until twice the timeout after its query. The trial listens
// for as long after the last query, so that a query's class does not depend on when in the trial it
// was sent. Where no query is open any more after the timeout, there is nothing to wait for.
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
    // How often somebody should look whether queries are still open.
    static constexpr Nanoseconds look_interval = std::chrono::milliseconds(10);

    // `last` is when the last query was sent, by any clock; the moments below are by the same one.
    Listening(Nanoseconds last, Nanoseconds timeout)
        : timeout_(last + timeout + drain_time), end_(timeout_ + timeout)
    {
    }

    // How long to wait before asking again, of which none means: it is over. `open`: queries that
    // nothing has decided yet.
    [[nodiscard]] Nanoseconds rest(Nanoseconds now, std::uint64_t open) const
    {
        if (now < timeout_)
            return timeout_ - now;
        if (now >= end_ || open == 0)
            return Nanoseconds{};
        return std::min(end_ - now, look_interval);
    }

private:
    Nanoseconds timeout_;
    Nanoseconds end_;
};

} // namespace dnsgauge
