// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/socket_worker.h"

#include "base/sockets.h"

#include "wire/echo.h"

namespace dnsgauge
{

void SocketEcho::stop()
{
    stops_ = true;
    // shutdown() fails with ENOTCONN, and yet wakes every thread that waits for this socket.
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

} // namespace dnsgauge
