// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// QUIC for the connections of one lane, by ngtcp2 and GnuTLS, which see no socket: datagrams come
// in, and datagrams go out. Each query has a stream of its own (RFC 9250).
#pragma once

#include "dns/quic.h"
#include "dns/socket_address.h"
#include "result/connections.h"
#include "result/quic.h"
#include "streams/tls_client.h"
#include "units/rate.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

class QuicConnection;

// Hears what a datagram brings.
class QuicListener
{
public:
    virtual ~QuicListener() = default;

    // A message of `size` octets replies to a query; `message` is its beginning, with the query's
    // ID in its place. Must not call the connection.
    virtual void replied(QuicConnection &connection, std::span<const std::uint8_t> message,
                         std::size_t size) = 0;
};

// A query and its reply.
struct QuicStream {
    std::int64_t id = -1;
    std::int64_t asked_ns = 0;
    std::uint16_t query_id = 0;
    bool has_replied = false;
    bool has_failed = false;           // no reply can come any more
    std::size_t sent = 0;              // octets of the query, as QUIC took them
    std::vector<std::uint8_t> query{}; // with its length
    std::vector<std::uint8_t> reply{}; // the reply's octets so far
    QuicStream *before = nullptr;      // neighbours among the connection's streams
    QuicStream *behind = nullptr;
};

// What the connections of a lane share.
class QuicClient
{
public:
    // Streams without a reply are cancelled after `patience`. `counts` and `listener` must outlive
    // the client. Throws SetupError.
    QuicClient(const TlsPlan &plan, Nanoseconds patience, QuicCounts &counts,
               QuicListener &listener);
    QuicClient &operator=(QuicClient &&) = delete;

private:
    friend class QuicConnection;

    [[nodiscard]] QuicStream &take_stream();
    void give(QuicStream &stream);

    TlsPlan plan_;
    std::int64_t patience_ns_;
    QuicCounts &counts_;
    QuicListener &listener_;
    GnutlsCredentials credentials_;
    GnutlsPriority priority_;
    std::vector<std::uint8_t> ticket_; // the newest one
    std::deque<QuicStream> streams_;
    std::vector<QuicStream *> free_;
};

// How a connection ended.
enum class QuicEnd {
    closed_by_server,
    reset_by_server, // by a stateless reset
    timed_out,       // nothing came for the time that both sides agreed on
    unanswered,      // no handshake came about
    refused,
    tls_failed,
    failed, // the server broke QUIC's rules, or the Tester has no memory
};

class QuicConnection
{
public:
    // `client` must outlive the connection. Times are of CLOCK_MONOTONIC.
    QuicConnection(QuicClient &client, std::uint32_t number, const SocketAddress &source,
                   const SocketAddress &server, std::int64_t now);
    ~QuicConnection();

    // Returns the number that the connection got when it was made.
    [[nodiscard]] std::uint32_t number() const { return number_; }
    // Returns whether the handshake is complete.
    [[nodiscard]] bool is_open() const { return is_open_; }
    // Returns how the connection has ended, if it has.
    [[nodiscard]] std::optional<QuicEnd> end() const { return end_; }
    // Returns why.
    [[nodiscard]] const std::string &failure() const { return failure_; }

    // Takes a datagram.
    void take_in(std::span<const std::uint8_t> datagram, std::int64_t now);
    // Begins a stream for a query, which has its length before it. Returns false if the server
    // allows no further stream at present.
    [[nodiscard]] bool ask(std::span<const std::uint8_t> query, std::int64_t now);
    // Returns the next datagram to send, in `room` of datagram_most octets; empty if there is none
    // at present.
    [[nodiscard]] std::span<const std::uint8_t> next_datagram(std::span<std::uint8_t> room,
                                                              std::int64_t now);
    // Returns the datagram that tells the server that the connection has ended, and why, in `room`;
    // empty if the server need not be told.
    [[nodiscard]] std::span<const std::uint8_t> farewell(std::span<std::uint8_t> room,
                                                         std::int64_t now);

    // Returns when handle_timer() is to be called.
    [[nodiscard]] std::int64_t timer_ns() const;
    void handle_timer(std::int64_t now);

    // If the server has gone silent, counts the connection and returns when the first query without
    // a reply was asked. Silent means: nothing came for longer than the timeout, although datagrams
    // await acknowledgement.
    [[nodiscard]] std::optional<std::int64_t> note_silence(std::int64_t now);

    // Returns whether the open connection resumed an earlier session.
    [[nodiscard]] bool is_resumed() const;
    // Returns what the open connection's handshake agreed on.
    [[nodiscard]] TlsSuite suite() const;

    static constexpr std::size_t datagram_most = quic_datagram_most;

private:
    [[nodiscard]] static ngtcp2_callbacks callbacks();
    static int keep_ticket(gnutls_session_t session, unsigned type, unsigned when,
                           unsigned incoming, const gnutls_datum_t *message);
    static int log_key(gnutls_session_t session, const char *label, const gnutls_datum_t *secret);

    [[nodiscard]] bool begin_tls();
    [[nodiscard]] bool begin_quic(const SocketAddress &source, const SocketAddress &server,
                                  std::int64_t now);
    // ngtcp2 calls these.
    int complete_handshake();
    void take(QuicStream &stream, std::span<const std::uint8_t> octets, bool is_last);
    void close(QuicStream &stream);

    void deliver(QuicStream &stream);
    // Ends a query that has its reply or gets none. Its octets then leave the server's window.
    void settle(QuicStream &stream);
    // Ends a stream that can bring no reply any more; `count` is the count of the cause.
    void lose(QuicStream &stream, std::uint64_t QuicCounts::*count);
    void cancel_old_streams();
    void sent(QuicStream &stream, ngtcp2_ssize octets);
    // Ends the connection because ngtcp2 returned an error.
    void fail(int error);
    void end(QuicEnd how, std::string why);
    void end_by_server();
    [[nodiscard]] std::string tls_failure() const;

    QuicClient &client_;
    std::uint32_t number_;
    ngtcp2_path_storage path_{};
    ngtcp2_crypto_conn_ref reference_{};
    GnutlsSession session_;
    Quic quic_;                  // gone before its TLS
    std::int64_t now_ = 0;       // of the call at hand
    std::int64_t heard_ns_ = 0;  // when the last datagram came
    std::uint64_t unheeded_ = 0; // datagrams since then
    bool is_open_ = false;
    bool was_reset_ = false;
    std::optional<QuicEnd> end_;
    int error_ = 0; // of ngtcp2, which ended the connection
    std::string failure_;
    // Streams in the order of their queries.
    QuicStream *first_ = nullptr;
    QuicStream *last_ = nullptr;
    QuicStream *unsent_ = nullptr;  // the first with octets to send; all after it have some, too
    QuicStream *awaited_ = nullptr; // the first that is not cancelled; none after it is, either
    std::size_t unended_ = 0;       // settled ones
};

} // namespace dnsgauge
