// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echoes that receive one datagram at a time. They differ in how they wait for it.
#include "echo/socket_worker.h"

#include "userland/freed_by.h"
#include "userland/setup_error.h"
#include "userland/unique_fd.h"

#include <event2/event.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <utility>

namespace dnsgauge
{

namespace
{

// `wait` returns whether a datagram may be there. The flags are of recvfrom() and sendto().
template <class Wait>
class OneByOneEcho : public SocketEcho
{
public:
    OneByOneEcho(const EchoSeat &seat, int receive_flags, int send_flags, Wait wait)
        : SocketEcho(seat), receive_flags_(receive_flags), send_flags_(send_flags),
          wait_(std::move(wait))
    {
    }

    void run() override
    {
        while (!stops())
            if (wait_())
                echo_one(receive_flags_, send_flags_);
    }

private:
    int receive_flags_;
    int send_flags_;
    Wait wait_;
};

template <class Wait>
std::unique_ptr<EchoWorker> make_echo(const EchoSeat &seat, Wait wait,
                                      int receive_flags = MSG_DONTWAIT, int send_flags = 0)
{
    return std::make_unique<OneByOneEcho<Wait>>(seat, receive_flags, send_flags, std::move(wait));
}

bool at_once()
{
    return true;
}

// libevent waits by the best means that it finds.
class LibeventEcho : public SocketEcho
{
public:
    explicit LibeventEcho(const EchoSeat &seat)
        : SocketEcho(seat), base_(event_base_new()),
          event_(base_ ? event_new(base_.get(), static_cast<evutil_socket_t>(socket()),
                                   EV_READ | EV_PERSIST, &LibeventEcho::on_readable, this)
                       : nullptr)
    {
        if (!event_ || event_add(event_.get(), nullptr) != 0)
            throw SetupError("libevent cannot wait for a socket here");
    }

    void run() override { event_base_dispatch(base_.get()); }

private:
    static void on_readable(evutil_socket_t, short, void *worker)
    {
        auto &echo = *static_cast<LibeventEcho *>(worker);
        if (echo.stops())
            event_base_loopbreak(echo.base_.get());
        else
            echo.echo_one(MSG_DONTWAIT, 0);
    }

    std::unique_ptr<event_base, FreedBy<event_base_free>> base_;
    std::unique_ptr<event, FreedBy<event_free>> event_;
};

} // namespace

std::unique_ptr<EchoWorker> make_blocking_echo(const EchoSeat &seat)
{
    return make_echo(seat, at_once, 0);
}

// The workers never wait: each takes all of its CPU.
std::unique_ptr<EchoWorker> make_nonblocking_echo(const EchoSeat &seat)
{
    return make_echo(seat, at_once, MSG_DONTWAIT, MSG_DONTWAIT);
}

std::unique_ptr<EchoWorker> make_poll_echo(const EchoSeat &seat)
{
    return make_echo(seat, [readable = pollfd{seat.socket, POLLIN, 0}]() mutable {
        return poll(&readable, 1, -1) == 1;
    });
}

std::unique_ptr<EchoWorker> make_select_echo(const EchoSeat &seat)
{
    if (seat.socket >= FD_SETSIZE)
        throw SetupError("--io select takes descriptors below " + std::to_string(FD_SETSIZE) +
                         " alone: use fewer workers, or leave out --reuseport");
    return make_echo(seat, [fd = seat.socket] {
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(fd, &readable);
        return select(fd + 1, &readable, nullptr, nullptr, nullptr) == 1;
    });
}

// Level-triggered.
std::unique_ptr<EchoWorker> make_epoll_echo(const EchoSeat &seat)
{
    UniqueFd epoll = opened(epoll_create1(EPOLL_CLOEXEC), "cannot create an epoll set");
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, seat.socket, &event) != 0)
        throw_errno("cannot watch a socket");
    return make_echo(seat, [epoll = std::move(epoll)] {
        epoll_event found{};
        return epoll_wait(epoll.get(), &found, 1, -1) == 1;
    });
}

std::unique_ptr<EchoWorker> make_libevent_echo(const EchoSeat &seat)
{
    return std::make_unique<LibeventEcho>(seat);
}

} // namespace dnsgauge
