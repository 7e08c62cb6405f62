// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait by the best means that libevent finds, and then receive one datagram.
#include "echo/socket_worker.h"

#include "userland/setup_error.h"

#include <event2/event.h>

namespace dnsgauge
{

namespace
{

class LibeventEcho : public SocketEcho
{
public:
    explicit LibeventEcho(const EchoSeat &seat)
        : SocketEcho(seat), base_(event_base_new(), &event_base_free),
          event_(base_ ? event_new(base_.get(), static_cast<evutil_socket_t>(socket()),
                                   EV_READ | EV_PERSIST, &LibeventEcho::on_readable, this)
                       : nullptr,
                 &event_free)
    {
        if (!event_ || event_add(event_.get(), nullptr) != 0)
            throw SetupError("libevent cannot wait for a socket here");
    }

    void run() override { event_base_dispatch(base_.get()); }

private:
    static void on_readable(evutil_socket_t, short, void *worker)
    {
        static_cast<LibeventEcho *>(worker)->on_readable();
    }

    void on_readable()
    {
        if (stops())
            event_base_loopbreak(base_.get());
        else
            echo_one(MSG_DONTWAIT, 0);
    }

    std::unique_ptr<event_base, decltype(&event_base_free)> base_;
    std::unique_ptr<event, decltype(&event_free)> event_;
};

} // namespace

std::unique_ptr<EchoWorker> make_libevent_echo(const EchoSeat &seat)
{
    return std::make_unique<LibeventEcho>(seat);
}

} // namespace dnsgauge
