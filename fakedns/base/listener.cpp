// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/listener.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t rest_ns = 200'000'000;

bool is_want(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

} // namespace

Listener::Listener(EventLoop &loop, UniqueFd socket, std::function<void(AcceptedConnection)> serve,
                   std::function<bool()> make_room)
    : loop_(loop), socket_(std::move(socket)), serve_(std::move(serve)),
      make_room_(std::move(make_room)),
      rest_(loop, [this] { loop_.change(socket_.get(), EPOLLIN, *this); })
{
    loop_.add(socket_.get(), EPOLLIN, *this);
}

void Listener::on_ready(std::uint32_t)
{
    AcceptedConnection connection;
    connection.socket =
        UniqueFd(accept4(socket_.get(), reinterpret_cast<sockaddr *>(&connection.from),
                         &connection.from_size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection.socket)
        return serve_(std::move(connection));
    if (!is_want(errno) || make_room_())
        return;
    loop_.change(socket_.get(), 0, *this);
    rest_.set(ktime_ns() + rest_ns);
}

} // namespace dnsgauge
