// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers over TCP (RFC 7766): persistent connections, pipelined queries.
#pragma once

#include "fakedns/counters.h"
#include "fakedns/event_loop.h"
#include "fakedns/sockets.h"
#include "fakedns/tcp_stream.h"

#include "wire/answer.h"

#include <chrono>
#include <list>
#include <memory>
#include <vector>

namespace dnsgauge
{

struct TcpLimits {
    std::size_t connections = 256; // one more displaces the one that has been idle longest
    std::chrono::seconds idle{10}; // without a complete query, then the connection is closed
};

class TcpConnection;
class TcpListener;

// All listeners and connections of the server: the limits hold for them together.
class TcpResponder : public EventHandler
{
public:
    // `loop`, `zone` and `counters` outlive the responder. Throws SetupError.
    TcpResponder(EventLoop &loop, const std::vector<Endpoint> &endpoints, TcpLimits limits,
                 const answer_zone &zone, Counters &counters);
    ~TcpResponder() override;

    // The time of the connection idle longest is up.
    void on_ready(std::uint32_t events) override;

private:
    friend class TcpConnection;
    friend class TcpListener;
    using Connections = std::list<std::unique_ptr<TcpConnection>>;

    void accept_from(int listener);
    void admit(UniqueFd socket);
    void close_connection(Connections::iterator connection);
    void touch(Connections::iterator connection);
    void arm_timer();

    EventLoop &loop_;
    TcpLimits limits_;
    const answer_zone &zone_;
    Counters &counters_;
    UniqueFd timer_;
    std::vector<std::unique_ptr<TcpListener>> listeners_;
    Connections connections_; // idle longest first
};

} // namespace dnsgauge
