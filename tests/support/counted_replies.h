// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replies as an engine counts them.
#pragma once

#include "engine/query_tally.h"

#include <cstdint>

namespace dnsgauge::testing
{

// Counts a valid reply with this RTT (nanoseconds).
inline void count_valid(ReplyTally &replies, std::uint64_t rtt)
{
    replies.queries.states[QUERY_VALID]++;
    replies.queries.rcodes[0]++;
    replies.queries.rtts.add(rtt);
}

} // namespace dnsgauge::testing
