// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/sockets.h"

#include "base/event_loop.h"

#include "dns/stamped_receive.h"
#include "system/descriptors.h"
#include "system/setup_error.h"
#include "system/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <systemd/sd-daemon.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr int udp_buffer = 4 << 20; // octets that the kernel queues: about 10,000 queries
// Connections that wait to be accepted. The kernel drops the SYN of further ones, and clients send
// it again after a second. The kernel lowers the limit to net.core.somaxconn, 4096 by default.
constexpr int tcp_backlog = 65'535;

void set_option(int fd, int level, int option, int value)
{
    if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
        throw_errno("cannot set up a socket");
}

// Sets a buffer size. If this process may not exceed the system's limit, the limit applies.
void set_buffer(int fd, int forced, int limited)
{
    const int size = udp_buffer;
    if (setsockopt(fd, SOL_SOCKET, forced, &size, sizeof(size)) != 0)
        set_option(fd, SOL_SOCKET, limited, size);
}

void bind_to_interface(int fd, const Endpoint &endpoint)
{
    if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, endpoint.interface.c_str(),
                   static_cast<socklen_t>(endpoint.interface.size())) == 0)
        return;
    if (errno == EPERM)
        throw SetupError("may not bind a socket to " + endpoint.interface +
                         ": run as root, or grant CAP_NET_RAW");
    throw_errno("cannot bind a socket to " + endpoint.interface);
}

int bind_wildcard(int fd, const Endpoint &endpoint)
{
    const SocketAddress address({.bytes = {}, .is_ipv6 = endpoint.family == Family::ipv6},
                                endpoint.port);
    return bind(fd, address.get(), address.size);
}

[[noreturn]] void throw_port_error(int error, const Endpoint &endpoint, const char *protocol)
{
    const std::string port = std::string(protocol) + " port " + std::to_string(endpoint.port);
    if (error == EADDRINUSE)
        throw SetupError("{} on {} is in use: stop what holds it (ss -lnptu), or choose another {}",
                         port, endpoint.interface, endpoint.port_option);
    if (error == EACCES)
        throw SetupError("may not use " + port +
                         ": run as root, or grant CAP_NET_BIND_SERVICE, or choose a " +
                         endpoint.port_option + " from 1024");
    throw SetupError("cannot use {} on {}: {}", port, endpoint.interface, std::strerror(error));
}

int domain_of(const Endpoint &endpoint)
{
    return endpoint.family == Family::ipv4 ? AF_INET : AF_INET6;
}

UniqueFd open_socket(const Endpoint &endpoint, int type)
{
    UniqueFd fd{socket(domain_of(endpoint), type | SOCK_CLOEXEC, 0)};
    if (!fd && errno != EAFNOSUPPORT)
        throw_errno("cannot open a socket");
    if (!fd)
        return fd;
    if (endpoint.family == Family::ipv6)
        set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
    bind_to_interface(fd.get(), endpoint);
    return fd;
}

void bind_udp_socket(int fd, const Endpoint &endpoint)
{
    if (bind_wildcard(fd, endpoint) != 0)
        throw_port_error(errno, endpoint, "UDP");
}

// If systemd has passed sockets, returns this one of them (which may be missing) and false.
// Otherwise returns a new socket and true.
std::pair<UniqueFd, bool> find_or_open(const Endpoint &endpoint, int type)
{
    if (sd_listen_fds(0) <= 0)
        return {open_socket(endpoint, type | SOCK_NONBLOCK), true};
    UniqueFd fd = passed_socket(domain_of(endpoint), type, endpoint.port, endpoint.interface);
    if (!fd)
        say("fakedns: systemd has passed no socket for {} by {}, port {}, on {}: none answers "
            "there\n",
            type == SOCK_DGRAM ? "UDP" : "TCP", endpoint.family == Family::ipv4 ? "IPv4" : "IPv6",
            endpoint.port, endpoint.interface);
    return {std::move(fd), false};
}

} // namespace

UniqueFd passed_socket(int family, int type, std::uint16_t port, const std::string &interface)
{
    const int count = sd_listen_fds(0);
    for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + count; fd++) {
        std::array<char, IFNAMSIZ> device{};
        socklen_t size = IFNAMSIZ;
        if (sd_is_socket_inet(fd, family, type, type == SOCK_STREAM ? 1 : -1, port) <= 0 ||
            getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device.data(), &size) != 0 ||
            interface != device.data())
            continue;
        if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
            throw_errno("cannot set up a socket");
        return UniqueFd(fd);
    }
    return {};
}

UniqueFd open_udp_socket(const Endpoint &endpoint)
{
    auto [fd, is_new] = find_or_open(endpoint, SOCK_DGRAM);
    if (!fd)
        return {};
    if (endpoint.family == Family::ipv4)
        set_option(fd.get(), IPPROTO_IP, IP_PKTINFO, 1);
    else
        set_option(fd.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
    if (endpoint.family == Family::ipv6 && endpoint.answers_from_anywhere)
        set_option(fd.get(), IPPROTO_IPV6, IPV6_FREEBIND, 1);
    set_buffer(fd.get(), SO_RCVBUFFORCE, SO_RCVBUF);
    set_buffer(fd.get(), SO_SNDBUFFORCE, SO_SNDBUF);
    if (is_new)
        bind_udp_socket(fd.get(), endpoint);
    return std::move(fd);
}

UniqueFd open_tcp_listener(const Endpoint &endpoint)
{
    auto [fd, is_new] = find_or_open(endpoint, SOCK_STREAM);
    if (!fd)
        return {};
    // Answers are sent in whole batches, so holding back the last segment (Nagle) would only delay
    // it. Accepted sockets inherit the option.
    set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    if (!is_new)
        return std::move(fd);
    // The port is free even if connections of a server that has just ended remain.
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind_wildcard(fd.get(), endpoint) != 0 || listen(fd.get(), tcp_backlog) != 0)
        throw_port_error(errno, endpoint, "TCP");
    return std::move(fd);
}

std::uint64_t arrival_ns(std::optional<std::int64_t> stamp_ns)
{
    // An older stamp was made before the wall clock was set.
    constexpr std::int64_t age_most = 1'000'000'000;
    timespec real{};
    clock_gettime(CLOCK_REALTIME, &real);
    const std::uint64_t now = ktime_ns();
    const std::int64_t age =
        real.tv_sec * std::int64_t{1'000'000'000} + real.tv_nsec - stamp_ns.value_or(0);
    return age > 0 && age < age_most ? now - static_cast<std::uint64_t>(age) : now;
}

ssize_t receive_timed(int socket, std::span<std::uint8_t> room, std::uint64_t &at_ns, int flags)
{
    const StampedOctets octets = receive_stamped(socket, room, flags);
    at_ns = arrival_ns(octets.stamp_ns);
    return octets.count;
}

UniqueFd open_echo_socket(const std::string &interface, std::uint16_t port, bool shares_port)
{
    Endpoint endpoint{.family = Family::ipv6, .interface = interface, .port = port};
    UniqueFd fd = open_socket(endpoint, SOCK_DGRAM);
    if (fd) {
        set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    } else {
        endpoint.family = Family::ipv4;
        fd = open_socket(endpoint, SOCK_DGRAM);
    }
    if (!fd)
        throw SetupError("this kernel has neither IPv6 nor IPv4");
    if (shares_port)
        set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
    set_buffer(fd.get(), SO_RCVBUFFORCE, SO_RCVBUF);
    set_buffer(fd.get(), SO_SNDBUFFORCE, SO_SNDBUF);
    bind_udp_socket(fd.get(), endpoint);
    return fd;
}

in_port_t source_port(const sockaddr_storage &from)
{
    sockaddr_in6 address{};
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    std::memcpy(&address, &from, sizeof(address));
    return address.sin6_port;
}

void reserve_for_clients(std::size_t connections)
{
    const auto shortage = reserve_descriptors(connections);
    if (!shortage)
        return;
    throw SetupError(
        "{} TCP connections and the server itself need {} open files, and the limit is {}: raise "
        "it (ulimit -n, or LimitNOFILE= of the unit){}",
        connections, shortage->needed, shortage->most,
        shortage->for_connections != 0
            ? fmt::format(", or let --tcp-connections be {} at most", shortage->for_connections)
            : std::string());
}

} // namespace dnsgauge
