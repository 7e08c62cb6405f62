// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait in epoll_wait(), level-triggered, and then receive one datagram.
#include "echo/socket_worker.h"

#include "base/event_loop.h"

#include <sys/epoll.h>

namespace dnsgauge
{

namespace
{

class EpollEcho : public SocketEcho, private EventHandler
{
public:
    explicit EpollEcho(const EchoSeat &seat) : SocketEcho(seat)
    {
        loop_.add(socket(), EPOLLIN, *this);
    }

    void run() override { loop_.run(); }

private:
    void on_ready(std::uint32_t) override
    {
        if (stops())
            loop_.stop();
        else
            echo_one(MSG_DONTWAIT, 0);
    }

    EventLoop loop_;
};

} // namespace

std::unique_ptr<EchoWorker> make_epoll_echo(const EchoSeat &seat)
{
    return std::make_unique<EpollEcho>(seat);
}

} // namespace dnsgauge
