// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/connection_tally.h"

#include <algorithm>

namespace dnsgauge
{

void ConnectionTally::add(const TlsSuite &suite)
{
    const auto same = [&suite](const TlsSuite &mine) {
        return mine.version == suite.version && mine.cipher == suite.cipher &&
               mine.alpn == suite.alpn;
    };
    if (const auto found = std::ranges::find_if(tls_suites, same); found != tls_suites.end())
        found->connections += suite.connections;
    else if (tls_suites.size() == suites_most)
        tls_suites.back().connections += suite.connections;
    else
        tls_suites.push_back(suite);
}

void ConnectionTally::add_handshake(const TlsSuite &suite, bool is_resumed, std::int64_t took_ns)
{
    (is_resumed ? counts.tls_resumed : counts.tls_full)++;
    (is_resumed ? tls_resumed : tls_full).add(static_cast<std::uint64_t>(took_ns));
    add(suite);
}

void ConnectionTally::add(const ConnectionTally &other)
{
    for (const ConnectionCount &each : connection_counts)
        counts.*each.count += other.counts.*each.count;
    handshakes.add(other.handshakes);
    waited.add(other.waited);
    tls_full.add(other.tls_full);
    tls_resumed.add(other.tls_resumed);
    keepalives.add(other.keepalives);
    for (const TlsSuite &suite : other.tls_suites)
        add(suite);
    if (tls_failure.empty())
        tls_failure = other.tls_failure;
    for (const auto &[status, count] : other.http_statuses)
        http_statuses[status] += count;
    if (http_failure.empty())
        http_failure = other.http_failure;
    for (const QuicCount &each : quic_counts)
        quic.*each.count += other.quic.*each.count;
    for (std::size_t i = 0; i < backlog.size(); i++)
        backlog.at(i) += other.backlog.at(i);
    silences.insert(silences.end(), other.silences.begin(), other.silences.end());
}

} // namespace dnsgauge
