// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What became of connections, and how long their handshakes took: counts that add up.
#pragma once

#include "engine/rtt_tally.h"
#include "result/connections.h"
#include "result/quic.h"
#include "result/stalls.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ConnectionTally {
    ConnectionCounts counts;
    RttTally handshakes; // from connect() until user space sees the connection open
    RttTally waited;     // RTTs of valid queries that waited for their connection to open
    RttTally tls_full{}; // from the open TCP connection until TLS is open, by kind of handshake
    RttTally tls_resumed{};
    RttTally keepalives{}; // idle timeouts that replies named
    std::vector<TlsSuite> tls_suites{};
    std::string tls_failure{};                            // the first one; empty: none
    std::map<std::string, std::uint64_t> http_statuses{}; // of responses, but for 200
    std::string http_failure{};                           // likewise
    QuicCounts quic{};
    Backlog backlog{};
    std::vector<Silence> silences{}; // at most silences_most of each lane

    static constexpr std::size_t silences_most = 16'384;
    // Connections beyond so many different suites count as connections of the last one.
    static constexpr std::size_t suites_most = 16;
    void add(const TlsSuite &suite);
    // Counts a handshake of TLS.
    void add_handshake(const TlsSuite &suite, bool is_resumed, std::int64_t took_ns);
    void add(const ConnectionTally &other);
};

} // namespace dnsgauge
