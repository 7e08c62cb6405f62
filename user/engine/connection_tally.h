// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What became of connections, and how long their handshakes took: counts that add up.
#pragma once

#include "engine/rtt_tally.h"
#include "result/connections.h"

namespace dnsgauge
{

struct ConnectionTally {
    ConnectionCounts counts;
    RttTally handshakes; // from connect() until user space sees the connection open

    void add(const ConnectionTally &other)
    {
        for (const ConnectionCount &each : connection_counts)
            counts.*each.count += other.counts.*each.count;
        handshakes.add(other.handshakes);
    }
};

} // namespace dnsgauge
