// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers over TCP (RFC 7766): persistent connections, pipelined queries.
#pragma once

#include "base/event_loop.h"
#include "base/sockets.h"
#include "fakedns/tcp_stream.h"

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <vector>

namespace dnsgauge
{

struct TcpLimits {
    std::size_t connections = 256; // a further one closes the connection that was idle longest
    std::chrono::seconds idle{10}; // closes a connection that completes no query for as long

    bool operator==(const TcpLimits &) const = default;
};

class TcpConnection;
class TcpListener;

// All listeners and connections of the server: the limits hold for them together.
class TcpResponder : public EventHandler
{
public:
    // Makes what answers the queries of a connection, whose socket it is given.
    using AnswererOf = std::function<std::unique_ptr<MessageAnswerer>(int socket)>;

    // `loop` outlives the responder. Throws SetupError.
    TcpResponder(EventLoop &loop, TcpLimits limits);
    ~TcpResponder() override;

    // Also answers at this endpoint. Serves nothing if the machine lacks the address family. Throws
    // SetupError.
    void listen(const Endpoint &endpoint, AnswererOf answerer_of);

    // Closes the connection that was idle longest: its time is up.
    void on_ready(std::uint32_t events) override;

private:
    friend class TcpConnection;
    friend class TcpListener;
    using Connections = std::list<std::unique_ptr<TcpConnection>>;

    void accept_from(int listener, const AnswererOf &answerer_of);
    void admit(UniqueFd socket, const AnswererOf &answerer_of);
    void close_connection(Connections::iterator connection);
    void touch(Connections::iterator connection);
    void arm_timer();

    EventLoop &loop_;
    TcpLimits limits_;
    UniqueFd timer_;
    std::vector<std::unique_ptr<TcpListener>> listeners_;
    Connections connections_; // idle longest first
};

} // namespace dnsgauge
