// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/stream_socket.h"

#include "dns/stamped_receive.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace dnsgauge
{

namespace
{

// Octets of replies that may wait in a UDP socket until the Tester reads them, if the kernel allows
// as many.
constexpr int datagram_room = 4 << 20;

bool set_option(const UniqueFd &socket, int level, int option, int value)
{
    return setsockopt(socket.get(), level, option, &value, sizeof(value)) == 0;
}

UniqueFd new_socket(const SocketPlan &plan, int kind)
{
    return UniqueFd(socket(plan.server.all.ss_family, kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Lets connect() choose the port: a port need be free only towards the server's address. Clients'
// addresses belong to no interface.
bool bind_source(const UniqueFd &socket, const SocketPlan &plan)
{
    return set_option(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1) &&
           set_option(socket, IPPROTO_IP, IP_FREEBIND, 1) &&
           (plan.interface.empty() ||
            setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, plan.interface.data(),
                       static_cast<socklen_t>(plan.interface.size())) == 0) &&
           (!plan.takes_stamps || stamp_arrivals(socket.get())) &&
           bind(socket.get(), plan.source.get(), plan.source.size) == 0;
}

} // namespace

UniqueFd stamping_socket()
{
    UniqueFd stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return stream && stamp_arrivals(stream.get()) ? std::move(stream) : UniqueFd();
}

int begin_connection(const SocketPlan &plan, UniqueFd &made, bool &is_open)
{
    is_open = false;
    UniqueFd stream = new_socket(plan, SOCK_STREAM);
    if (!stream || !set_option(stream, IPPROTO_TCP, TCP_NODELAY, 1) || !bind_source(stream, plan))
        return errno;
    is_open = connect(stream.get(), plan.server.get(), plan.server.size) == 0;
    if (!is_open && errno != EINPROGRESS)
        return errno;
    made = std::move(stream);
    return 0;
}

int begin_datagrams(const SocketPlan &plan, UniqueFd &made)
{
    UniqueFd datagrams = new_socket(plan, SOCK_DGRAM);
    if (!datagrams || !set_option(datagrams, SOL_SOCKET, SO_RCVBUF, datagram_room) ||
        !bind_source(datagrams, plan) ||
        connect(datagrams.get(), plan.server.get(), plan.server.size) != 0)
        return errno;
    made = std::move(datagrams);
    return 0;
}

int error_of(const UniqueFd &socket)
{
    int error = 0;
    socklen_t size = sizeof(error);
    return getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

Received receive(const UniqueFd &socket, std::span<std::uint8_t> room)
{
    const StampedOctets octets = receive_stamped(socket.get(), room, MSG_DONTWAIT);
    if (octets.count < 0)
        return {.error = errno};
    return {.octets = static_cast<std::size_t>(octets.count), .stamp_ns = octets.stamp_ns};
}

// The kernel forgets this setting after a while, so it is set each time.
void acknowledge(const UniqueFd &socket)
{
    set_option(socket, IPPROTO_TCP, TCP_QUICKACK, 1);
}

StreamState state_of(const UniqueFd &socket)
{
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return {};
    return {.segments = info.tcpi_segs_out,
            .retransmissions = info.tcpi_total_retrans,
            .unsent = info.tcpi_notsent_bytes,
            .lacked_buffer = info.tcpi_sndbuf_limited > info.tcpi_rwnd_limited,
            .since_ack_ns = std::int64_t{info.tcpi_last_ack_recv} * 1'000'000};
}

void abandon(UniqueFd &socket)
{
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    socket = UniqueFd();
}

} // namespace dnsgauge
