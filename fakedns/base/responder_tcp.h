// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers over TCP (RFC 7766), over TLS (RFC 7858), over HTTPS (RFC 8484) and over QUIC (RFC 9250):
// persistent connections, pipelined queries.
#pragma once

#include "base/event_loop.h"
#include "base/message_stream.h"
#include "base/sockets.h"
#include "base/tls_server.h"
#include "base/wake_times.h"

#include "dns/connection_faults.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace dnsgauge
{

struct TcpLimits {
    // A further connection closes the one that was idle longest. The number leaves room for a
    // client that opens 20,000 a second: it has 1,000 more open if either side stands still for 50
    // ms.
    std::size_t connections = 2000;
    // Closes a connection that completes no query for this long, while no answer to it is held.
    std::chrono::seconds idle{10};

    bool operator==(const TcpLimits &) const = default;
};

// The form of messages in a connection: tcp has each message after its length, tls the same inside
// TLS, https requests of HTTP/2 inside TLS, and quic streams of QUIC, which needs no TCP (see
// QuicResponder).
enum class Framing : std::uint8_t { tcp, tls, https, quic };

class TcpConnection;

// All listeners and connections of the server. The limits are for all of them together. A
// connection takes one descriptor, its socket.
class TcpResponder
{
public:
    // Returns the answerer for a connection with this socket.
    using AnswererOf = std::function<std::unique_ptr<MessageAnswerer>(int socket)>;

    // `loop` outlives the responder. Connections have the faults of `faults`, in the order in which
    // they are served. Throws SetupError.
    TcpResponder(EventLoop &loop, TcpLimits limits, const ConnectionFaultPlan &faults = {},
                 const TlsSetup &tls = {});
    ~TcpResponder();
    TcpResponder &operator=(TcpResponder &&) = delete;

    // Also answers at this endpoint. TLS takes a TlsSetup, and HTTPS a TlsSetup with its port.
    // Serves nothing if the machine lacks the address family. Throws SetupError.
    void listen(const Endpoint &endpoint, AnswererOf answerer_of, Framing framing = Framing::tcp);

    // Serves the connection of `socket`, which must not block. Throws SetupError if the kernel has
    // no more watches or memory.
    void serve(UniqueFd socket, std::unique_ptr<MessageAnswerer> answerer,
               Framing framing = Framing::tcp);

    // Returns the fault of the next connection.
    [[nodiscard]] Misconduct next_fault(Framing framing);

    // Makes answers leave exactly when they are due: the thread wakes early, and waits busily.
    void be_exact() { wakes_.be_exact(); }

    // Returns how many answers have not been sent whole.
    [[nodiscard]] std::size_t waiting() const;

    // Return how handshakes ended.
    [[nodiscard]] TlsCounts tls_counts() const { return tls_ ? tls_->counts() : TlsCounts(); }
    [[nodiscard]] TlsCounts https_counts() const { return https_ ? https_->counts() : TlsCounts(); }

    // Returns what each kind of fault did.
    [[nodiscard]] const ConnectionFaultCounts &fault_counts() const { return fault_counts_; }

private:
    friend class TcpConnection;
    using Connections = std::list<std::unique_ptr<TcpConnection>>;

    void close_connection(Connections::iterator connection);
    bool close_longest_idle();
    void close_idle();
    void touch(Connections::iterator connection);
    void arm_idle_timer();
    void send_due();

    // A TLS record is never longer, so one read takes all that OpenSSL has.
    static constexpr std::size_t read_size = 16'384;

    EventLoop &loop_;
    std::size_t most_;
    std::uint64_t idle_ns_;
    DueTimer idle_timer_;
    WakeTimes<TcpConnection> wakes_; // when each connection's first held answer is due
    ConnectionFaultPlan faults_;
    ConnectionFaultCounts fault_counts_{};
    std::uint64_t served_ = 0;                     // connections
    std::array<std::uint8_t, read_size> octets_{}; // as they are received
    std::optional<TlsServer> tls_;
    std::optional<TlsServer> https_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    Connections connections_; // idle longest first
};

// Returns whether the program was built with QUIC.
[[nodiscard]] bool speaks_quic();

// All sockets and connections over QUIC. A connection takes no descriptor. The limits of TcpLimits
// are for all these connections together. A connection is idle if nothing comes on it.
class QuicResponder
{
public:
    QuicResponder &operator=(QuicResponder &&) = delete;
    virtual ~QuicResponder() = default;

    // Also answers at this endpoint. Serves nothing if the machine lacks the address family. Throws
    // SetupError.
    virtual void listen(const Endpoint &endpoint, TcpResponder::AnswererOf answerer_of) = 0;

    // Does what TcpResponder::be_exact() does.
    virtual void be_exact() = 0;

    [[nodiscard]] virtual std::size_t waiting() const = 0;
    [[nodiscard]] virtual const TlsCounts &counts() const = 0;
};

// Returns a responder whose connections have the faults that `next_fault` returns. `loop` outlives
// the responder. Throws SetupError, also if the program was built without QUIC.
[[nodiscard]] std::unique_ptr<QuicResponder>
make_quic_responder(EventLoop &loop, const TcpLimits &limits, const TlsSetup &setup,
                    std::function<Misconduct()> next_fault);

} // namespace dnsgauge
