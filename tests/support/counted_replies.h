// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replies as the kernel program counts them.
#pragma once

#include "engine/tally.h"

#include <algorithm>
#include <cstdint>

namespace dnsgauge::testing
{

// Counts a valid reply with this RTT (nanoseconds) as reply_clock.bpf.c does.
inline void count_valid(ReplyCounts &replies, std::uint64_t rtt)
{
    reply_totals &totals = replies.totals;
    totals.rtt_min = totals.count[REPLY_VALID] == 0 ? rtt : std::min<__u64>(totals.rtt_min, rtt);
    totals.rtt_max = std::max<__u64>(totals.rtt_max, rtt);
    totals.count[REPLY_VALID]++;
    totals.rcodes[0]++;
    totals.rtt_sum += rtt;
    const std::uint64_t scaled = rtt >> REPLY_RTT_SQUARE_SHIFT;
    totals.rtt_square_low += scaled * scaled;
    replies.rtts.add(rtt);
}

} // namespace dnsgauge::testing
