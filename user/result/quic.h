// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counts of what became of QUIC's datagrams, connections and streams. This list is their only
// one.
#pragma once

#include "result/count_row.h"

#include <array>
#include <cstdint>

namespace dnsgauge
{

// X gets a count's name in C++ and in JSON, the words for it in texts, and its role.
#define QUIC_COUNTS(X)                                                                             \
    X(datagrams_sent, "datagrams sent")                                                            \
    X(datagrams_received, "datagrams received")                                                    \
    X(octets_sent, "octets of QUIC sent")                                                          \
    X(octets_received, "octets of QUIC received")                                                  \
    /* as QUIC declares them; some may have come after all */                                      \
    X(packets_lost, "packets with queries lost")                                                   \
    /* queries wait then on their connection */                                                    \
    X(streams_denied, "times that the server allowed no stream")                                   \
    X(retries, "handshakes begun again for a Retry")                                               \
    /* why the server closed connections, by the codes of RFC 9250 */                              \
    X(no_error, "closed with no error")                                                            \
    X(internal_error, "closed with an internal error", explains)                                   \
    X(protocol_error, "closed with a protocol error", explains)                                    \
    X(excessive_load, "closed for excessive load", explains)                                       \
    X(other_error, "closed with another error of DoQ", explains)                                   \
    X(transport_error, "closed with an error of QUIC", explains)                                   \
    /* these count as closed by the server: the timeout is the server's */                         \
    X(timed_out, "ended by QUIC's idle timeout", explains)                                         \
    /* the server acknowledged nothing for longer than the timeout, and until the end */           \
    X(gone_silent, "connections gone silent", explains)                                            \
    X(unheeded, "datagrams sent on silent connections in vain", explains)                          \
    /* the Tester ended these connections: they are broken */                                      \
    X(rules_broken, "ended: the server broke QUIC's rules", explains)                              \
    X(lost_reset, "lost: the server reset their stream", explains)                                 \
    X(lost_cut, "lost: their stream ended without a whole reply", explains)                        \
    /* RFC 9250 wants 0: such replies count as unexpected, and decide no query */                  \
    X(wrong_ids, "replies with another message ID than 0", explains)                               \
    X(surplus, "streams with more octets after a reply")                                           \
    /* no reply came in twice the timeout */                                                       \
    X(cancelled, "streams cancelled by the Tester")

struct QuicCounts {
#define QUIC_COUNT(key, ...) std::uint64_t key = 0;
    QUIC_COUNTS(QUIC_COUNT)
#undef QUIC_COUNT

    bool operator==(const QuicCounts &) const = default;
};

using QuicCount = CountRow<QuicCounts>;

#define QUIC_ROW(key, label, ...)                                                                  \
    QuicCount{&QuicCounts::key, #key, label __VA_OPT__(, CountRole::) __VA_ARGS__},
inline constexpr std::array quic_counts{QUIC_COUNTS(QUIC_ROW)};
#undef QUIC_ROW

} // namespace dnsgauge
