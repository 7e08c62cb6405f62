// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Faults of connections. Connections are numbered in the order in which a server accepts them. The
// number decides which fault the connection has, as a name's number does in wire/fault.h.
#pragma once

#include "wire/fault.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace dnsgauge
{

// The kinds but `none`, in the order of their positions. X takes the kind, its name in texts, and
// the least and the most of its number N; a most of 0 means that the kind has no number.
#define CONNECTION_FAULTS(X)                                                                       \
    /* is closed when it is accepted */                                                            \
    X(refuse, "refuse", 0, 0)                                                                      \
    /* is reset when the query after the first N comes */                                          \
    X(reset, "reset", 0, 1'000'000)                                                                \
    /* its server's end is closed when the query after the first N comes */                        \
    X(close, "close", 0, 1'000'000)                                                                \
    /* has no answer to queries after the first N */                                               \
    X(stall, "stall", 0, 1'000'000)                                                                \
    /* has its answers in pairs, the second before the first */                                    \
    X(swap, "swap", 0, 0)                                                                          \
    /* has N answers in one write; N are never longer than what may wait for a client */           \
    X(coalesce, "coalesce", 2, 100)                                                                \
    /* has each octet in a segment of its own */                                                   \
    X(split, "split", 0, 0)                                                                        \
    /* over TLS, has a full handshake, whatever tickets its client has, and gets no ticket */      \
    X(no_resumption, "no-resumption", 0, 0)                                                        \
    /* over TLS, gets a certificate that has expired, or that is another name's */                 \
    X(expired_certificate, "expired-certificate", 0, 0)                                            \
    X(wrong_name, "wrong-name", 0, 0)                                                              \
    /* over TLS, gets nothing, or the end of the connection, in answer to its ClientHello */       \
    X(stall_handshake, "stall-handshake", 0, 0)                                                    \
    X(close_handshake, "close-handshake", 0, 0)                                                    \
    /* over HTTP and QUIC, has its answers in pairs, each in the other's response */               \
    X(wrong_stream, "wrong-stream", 0, 0)                                                          \
    /* over HTTP, has answers of another content type */                                           \
    X(wrong_type, "wrong-type", 0, 0)                                                              \
    /* over HTTP, has responses with status N in place of answers */                               \
    X(status, "status", 400, 599)                                                                  \
    /* over HTTP, has GOAWAY, and no answers to queries after the first N */                       \
    X(goaway, "goaway", 0, 1'000'000)                                                              \
    /* over QUIC, has the streams of queries after the first N reset */                            \
    X(reset_stream, "reset-stream", 0, 1'000'000)

#define CONNECTION_FAULT(kind, name, least, most) kind,
enum class ConnectionFault : std::uint8_t { none, CONNECTION_FAULTS(CONNECTION_FAULT) };
#undef CONNECTION_FAULT

// Return whether only connections over HTTP, or over QUIC, can have the fault.
constexpr bool is_of_http(ConnectionFault kind)
{
    return kind >= ConnectionFault::wrong_stream && kind <= ConnectionFault::goaway;
}
constexpr bool is_of_quic(ConnectionFault kind)
{
    return kind == ConnectionFault::wrong_stream || kind == ConnectionFault::reset_stream;
}
// Returns whether only connections with TLS can have the fault. They have it from their beginning.
constexpr bool is_of_tls(ConnectionFault kind)
{
    return kind >= ConnectionFault::no_resumption && kind <= ConnectionFault::close_handshake;
}

// Returns whether the fault changes right answers, or the way in which they leave.
constexpr bool changes_answers(ConnectionFault kind)
{
    return (kind >= ConnectionFault::swap && kind <= ConnectionFault::split) ||
           (kind >= ConnectionFault::wrong_stream && kind <= ConnectionFault::status);
}

struct ConnectionFaultKind {
    std::string_view name;
    std::uint32_t least = 0; // of N
    std::uint32_t most = 0;
};

#define CONNECTION_FAULT_ROW(kind, name, least, most) ConnectionFaultKind{name, least, most},
inline constexpr std::array connection_faults{ConnectionFaultKind{"none"},
                                              CONNECTION_FAULTS(CONNECTION_FAULT_ROW)};
#undef CONNECTION_FAULT_ROW

template <class T>
using OfConnectionFaults = std::array<T, connection_faults.size()>; // by ConnectionFault

struct ConnectionFaultPlan {
    OfConnectionFaults<std::uint16_t> end{}; // the end of a kind's positions, as in fault_plan
    OfConnectionFaults<std::uint32_t> number{};

    [[nodiscard]] bool any() const { return end.back() != 0; }
    // Returns the fault of the connection that is accepted after `before` others.
    [[nodiscard]] ConnectionFault of(std::uint64_t before) const
    {
        const auto *const kind = std::ranges::upper_bound(
            end, fault_position(static_cast<std::uint32_t>(before % FAULT_BLOCK)));
        return kind == end.end() ? ConnectionFault::none
                                 : static_cast<ConnectionFault>(kind - end.begin());
    }

    bool operator==(const ConnectionFaultPlan &) const = default;
};

} // namespace dnsgauge
