// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// QUIC for a server's connections, by ngtcp2 and GnuTLS. This file knows no sockets: datagrams come
// in, and datagrams go out. Each query has its own stream (RFC 9250). Limits bound what a client
// makes the server keep: streams at a time, octets of incomplete queries.
#pragma once

#include "base/message_stream.h"
#include "base/tls_server.h"

#include "dns/quic.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace dnsgauge
{

class QuicServerConnection;

// Where a datagram belongs.
struct QuicHead {
    enum class Kind : std::uint8_t {
        broken,
        other_version, // of QUIC
        first,         // of a connection
        further,
    };
    Kind kind = Kind::broken;
    ngtcp2_version_cid ids{}; // the IDs point into the datagram
    ngtcp2_pkt_hd packet{};   // of a connection's first datagram
};

// What all connections share: certificates, keys, and where the connections are found.
class QuicServer
{
public:
    // A connection ends when nothing comes for `idle`. Throws SetupError as TlsServer does.
    QuicServer(const TlsSetup &setup, std::chrono::seconds idle);
    QuicServer &operator=(QuicServer &&) = delete;

    [[nodiscard]] static QuicHead head_of(std::span<const std::uint8_t> datagram);
    // Returns the connection to which the datagram belongs; null if there is none.
    [[nodiscard]] QuicServerConnection *find(const QuicHead &head) const;
    // Returns, in `room`, the answer to a datagram without a connection: the versions of QUIC that
    // the server has, or a stateless reset. The answer is shorter than the datagram; empty if there
    // is none.
    [[nodiscard]] std::span<const std::uint8_t> answer_stranger(std::size_t datagram_size,
                                                                const QuicHead &head,
                                                                std::span<std::uint8_t> room) const;

    [[nodiscard]] const TlsCounts &counts() const { return counts_; }

private:
    friend class QuicServerConnection;
    struct TicketKey {
        TicketKey();
        TicketKey &operator=(TicketKey &&) = delete;
        ~TicketKey();

        gnutls_datum_t key{};
    };

    [[nodiscard]] gnutls_certificate_credentials_t credentials_for(ConnectionFault fault);
    [[nodiscard]] std::array<std::uint8_t, NGTCP2_STATELESS_RESET_TOKENLEN>
    reset_token(const ngtcp2_cid &id) const;

    TlsServer identity_;
    std::chrono::nanoseconds idle_;
    TicketKey tickets_;
    GnutlsPriority priority_;
    GnutlsCredentials credentials_;
    std::map<ConnectionFault, GnutlsCredentials> flawed_; // those that were needed so far
    std::array<std::uint8_t, 32> secret_{};               // of stateless resets
    std::unordered_map<std::string, QuicServerConnection *> by_id_;
    TlsCounts counts_;
};

class QuicServerConnection : public FaultyMessages
{
public:
    static constexpr std::size_t most_streams = 1000;                 // at a time
    static constexpr std::size_t most_kept = std::size_t{256} << 10U; // octets of queries
    // The most octets of a datagram.
    static constexpr std::size_t datagram_most = quic_datagram_most;

    // Begins a connection, whose first datagram has come; give the datagram to take_in()
    // afterwards. `server` and the counts of `fault` must outlive the connection. Times are of
    // CLOCK_MONOTONIC.
    QuicServerConnection(QuicServer &server, const QuicHead &first, const ngtcp2_path &path,
                         std::unique_ptr<MessageAnswerer> answerer, const Misconduct &fault,
                         std::int64_t now);
    ~QuicServerConnection() override;

    // Takes a datagram that the kernel had at `arrived_ns`. Returns true if it completed a query.
    bool take_in(const QuicHead &head, const ngtcp2_path &path,
                 std::span<const std::uint8_t> datagram, std::int64_t arrived_ns, std::int64_t now);
    // Returns the next datagram to send, in `room` of datagram_most octets; empty if there is none
    // now. Sets `path` to the datagram's way.
    [[nodiscard]] std::span<const std::uint8_t>
    next_datagram(std::span<std::uint8_t> room, ngtcp2_path_storage &path, std::int64_t now);
    // Ends the connection, and tells the client.
    void close(std::uint64_t code, std::int64_t now);

    // Returns whether the handshake is complete.
    [[nodiscard]] bool is_open() const { return is_open_; }
    // Returns whether the connection has ended. An ended connection answers datagrams by its last
    // datagram.
    [[nodiscard]] bool is_over() const { return quic_ == nullptr; }
    // Returns whether the server must forget the connection at once.
    [[nodiscard]] bool is_forgotten() const { return is_forgotten_; }

    // Return when QUIC needs a call of handle_timer(), and when the first answer is due that the
    // answerer holds; quic_never if not at all.
    [[nodiscard]] std::int64_t timer_ns() const;
    [[nodiscard]] std::int64_t first_due_ns() const;
    // Does what is due at `now`.
    void handle_timer(std::int64_t now);

    // Returns how many answers have not been sent whole.
    [[nodiscard]] std::size_t unsent() const;
    [[nodiscard]] bool holds_answers() const { return first_due_ns() != quic_never; }

private:
    struct Stream {
        enum class State : std::uint8_t { asks, waits, is_grouped, is_answered, is_over };

        std::int64_t id = 0;
        State state = State::asks;
        std::vector<std::uint8_t> message; // the query, later the answer, after its length
        std::size_t sent = 0;              // octets of the answer that QUIC has taken
    };

    [[nodiscard]] static ngtcp2_callbacks callbacks();

    [[nodiscard]] bool begin_tls();
    [[nodiscard]] bool begin_quic(const QuicHead &first, const ngtcp2_path &path, std::int64_t now);
    void refuse(const QuicHead &first, std::uint64_t code);
    void add_id(const ngtcp2_cid &id);
    void remove_id(const ngtcp2_cid &id);

    // ngtcp2 calls these functions. They return its error codes.
    int open(std::int64_t id);
    int take(Stream &stream, std::span<const std::uint8_t> octets, bool is_last);
    void close_stream(Stream &stream);
    void complete_handshake();

    int answer(Stream &stream);
    void release(Stream &stream);
    void release_group();
    void add_due(std::int64_t now);
    void sent(Stream &stream, ngtcp2_ssize octets);
    // Returns whether there is more to write.
    bool carry_out_fault(std::int64_t now);
    // ngtcp2 returned an error: the connection has ended.
    void fail(int error, std::int64_t now);
    void say_last(const ngtcp2_ccerr &why, std::int64_t now);
    void end();

    QuicServer &server_;
    std::unique_ptr<MessageAnswerer> answerer_;
    ngtcp2_path_storage path_{};
    std::vector<std::string> ids_;
    std::string last_id_; // the last ID that the client has used
    ngtcp2_crypto_conn_ref reference_{};
    GnutlsSession session_;
    Quic quic_; // destroyed before its TLS
    bool is_open_ = false;
    bool has_query_ = false;    // the current datagram completed a query
    bool breaks_rules_ = false; // the client breaks rules of RFC 9250
    bool is_forgotten_ = false;
    std::unordered_map<std::int64_t, Stream> streams_;
    std::deque<Stream *> unsent_;
    std::vector<Stream *> blocked_;  // by flow control
    std::vector<Stream *> group_;    // their answers wait for others
    std::vector<std::uint8_t> last_; // the last datagram, which is repeated
    bool owes_last_ = false;
    unsigned repeats_ = 0;
};

} // namespace dnsgauge
