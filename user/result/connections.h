// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counts of what became of a run's connections. This list is their only one.
#pragma once

#include "result/count_row.h"

#include <array>
#include <cstdint>
#include <string>

namespace dnsgauge
{

// X gets a count's name in C++ and in JSON, the words for it in texts, and its role.
//
// Attempts to open a connection end in one of the first six counts. Open connections end in one of
// the next eight. The counts that begin with lost_ have the queries that were lost with their
// connection or stream. Other lost queries got no reply although their connection lived.
#define CONNECTION_COUNTS(X)                                                                       \
    X(opened, "opened")                                                                            \
    X(refused, "refused by the server", explains)                                                  \
    X(unanswered, "not opened: no answer", explains)                                               \
    X(failed, "not opened for another reason", explains)                                           \
    X(tls_failed, "not opened: the TLS handshake failed", explains)                                \
    X(left_opening, "still being opened at the end")                                               \
    /* by the Tester, when their queries were answered or lost */                                  \
    X(closed, "closed by the Tester")                                                              \
    /* the captures' clients did not use them */                                                   \
    X(closed_idle, "closed by the Tester when idle")                                               \
    X(closed_by_server, "closed by the server", explains)                                          \
    X(reset_by_server, "reset by the server", explains)                                            \
    /* no answer to retransmissions, or another error */                                           \
    X(broken, "broken", explains)                                                                  \
    X(tls_broken, "ended by an error of TLS", explains)                                            \
    X(http_broken, "ended by an error of HTTP/2", explains)                                        \
    X(left_open, "open at the end")                                                                \
    /* they were due before their connection was open: their RTTs include the rest of its          \
     * handshake */                                                                                \
    X(waited_for_open, "queries that waited for a connection to open")                             \
    /* as many queries as may be were open on each connection: their RTTs include the waiting */   \
    X(waited_for_pipeline, "queries that waited for a place on a connection")                      \
    X(lost_unopened, "lost: their connection did not open", explains)                              \
    X(lost_closed, "lost: the server closed their connection", explains)                           \
    X(lost_reset, "lost: the server reset their connection", explains)                             \
    X(lost_broken, "lost: their connection broke", explains)                                       \
    /* the server reads so slowly that queries filled all buffers */                               \
    X(lost_untaken, "lost: the server did not read them", explains)                                \
    /* other queries were open on their connection for too long: these were never sent */          \
    X(lost_waiting, "lost: no place on a connection in time", explains)                            \
    /* the next six are HTTP's */                                                                  \
    X(lost_http_status, "lost: an HTTP status other than 200", explains)                           \
    /* not application/dns-message */                                                              \
    X(lost_http_type, "lost: a response of another type", explains)                                \
    /* longer than 65,535 octets */                                                                \
    X(lost_http_long, "lost: a response too long", explains)                                       \
    X(lost_wrong_stream, "lost: another reply on their stream", explains)                          \
    X(lost_stream_reset, "lost: the server reset their stream", explains)                          \
    /* the server takes no more requests on the connection */                                      \
    X(lost_goaway, "lost: the server was leaving (GOAWAY)", explains)                              \
    X(goaways, "GOAWAY frames", explains)                                                          \
    /* of DNS messages, and over TCP and TLS of their lengths */                                   \
    X(octets_sent, "octets sent")                                                                  \
    X(octets_received, "octets received")                                                          \
    /* that the kernel took and the server has not acknowledged, when their connection ended */    \
    X(octets_unsent, "octets left unsent")                                                         \
    /* of HTTP/2 frames */                                                                         \
    X(http_octets_sent, "octets of HTTP/2 sent")                                                   \
    X(http_octets_received, "octets of HTTP/2 received")                                           \
    /* of TLS records */                                                                           \
    X(tls_octets_sent, "octets of TLS sent")                                                       \
    X(tls_octets_received, "octets of TLS received")                                               \
    /* of opened connections; a resumed one goes on from an earlier one */                         \
    X(tls_full, "full TLS handshakes")                                                             \
    X(tls_resumed, "resumed TLS handshakes")                                                       \
    X(segments, "segments sent")                                                                   \
    /* of these, by TCP */                                                                         \
    X(retransmissions, "segments retransmitted")                                                   \
    /* of these: their connection's handshake took a second or more */                             \
    X(syn_retransmissions, "SYN segments retransmitted")                                           \
    /* their RTT ends when the Tester read them */                                                 \
    X(unstamped, "replies without the kernel's receive stamp")

// When the Tester acknowledges what it has read.
enum class Acks {
    quick,   // at once
    delayed, // as the kernel does by itself: with the next query, or after 40 ms
};

// The numbers of queries without a reply when a quarter, a half, three quarters and all queries had
// been sent.
using Backlog = std::array<std::uint64_t, 4>;

struct ConnectionCounts {
#define CONNECTION_COUNT(key, ...) std::uint64_t key = 0;
    CONNECTION_COUNTS(CONNECTION_COUNT)
#undef CONNECTION_COUNT

    bool operator==(const ConnectionCounts &) const = default;
};

// What a handshake agreed on, and how many connections have it.
struct TlsSuite {
    std::string version; // such as TLSv1.3
    std::string cipher;
    std::string alpn; // empty if the server chose no protocol
    std::uint64_t connections = 0;

    bool operator==(const TlsSuite &) const = default;
};

using ConnectionCount = CountRow<ConnectionCounts>;

#define CONNECTION_ROW(key, label, ...)                                                            \
    ConnectionCount{&ConnectionCounts::key, #key, label __VA_OPT__(, CountRole::) __VA_ARGS__},
inline constexpr std::array connection_counts{CONNECTION_COUNTS(CONNECTION_ROW)};
#undef CONNECTION_ROW

} // namespace dnsgauge
