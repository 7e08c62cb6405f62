// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echoes by UDP sockets that wait for one datagram. They differ in how they wait.
#include "echo/socket_worker.h"

#include "base/udp_batch.h"

#include "system/freed_by.h"
#include "system/setup_error.h"
#include "wire/echo.h"

#include <event2/event.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <utility>

namespace dnsgauge
{

void SocketEcho::stop()
{
    stops_ = true;
    // This fails with ENOTCONN, but still wakes every thread that waits for this socket.
    shutdown(socket_, SHUT_RD);
}

bool SocketEcho::turn(std::uint8_t *datagram, std::size_t length, const sockaddr_storage &from,
                      socklen_t from_size)
{
    if (from_size == 0)
        return false;
    if (source_port(from) != 0 && echo_message({datagram, datagram + length}))
        return true;
    count(ECHO_IGNORED);
    return false;
}

void SocketEcho::echo_one(int receive_flags, int send_flags)
{
    sockaddr_storage from{};
    socklen_t from_size = sizeof(from);
    auto *const address = reinterpret_cast<sockaddr *>(&from);
    const ssize_t length =
        recvfrom(socket_, datagram_.data(), datagram_.size(), receive_flags, address, &from_size);
    if (length < 0 || !turn(datagram_.data(), static_cast<std::size_t>(length), from, from_size))
        return;
    const ssize_t sent = sendto(socket_, datagram_.data(), static_cast<std::size_t>(length),
                                send_flags, address, from_size);
    count(sent < 0 ? ECHO_UNSENT : ECHO_SENT);
}

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

// Waits in recvmmsg(), which takes all datagrams that have come. sendmmsg() then sends all echoes.
class RecvmmsgEcho : public SocketEcho
{
public:
    explicit RecvmmsgEcho(const EchoSeat &seat) : SocketEcho(seat) {}

    void run() override
    {
        while (!stops()) {
            const std::size_t received = batch_.receive(socket(), MSG_WAITFORONE);
            const std::size_t echoes = batch_.answer(received, [this](const UdpQuery &query) {
                return turn(query.room.data(), query.length, query.from, query.header.msg_namelen)
                           ? query.length
                           : 0;
            });
            const std::size_t refused = batch_.send(socket(), echoes, 0);
            count(ECHO_SENT, echoes - refused);
            count(ECHO_UNSENT, refused);
        }
    }

private:
    UdpBatch batch_;
};

} // namespace

std::unique_ptr<EchoWorker> make_blocking_echo(const EchoSeat &seat)
{
    return make_echo(seat, at_once, 0);
}

// The workers never wait: each uses all of its CPU.
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

std::unique_ptr<EchoWorker> make_recvmmsg_echo(const EchoSeat &seat)
{
    return std::make_unique<RecvmmsgEcho>(seat);
}

} // namespace dnsgauge
