// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/sockets.h"

#include "userland/setup_error.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr int udp_buffer = 4 << 20; // octets that the kernel queues: some 10,000 queries
constexpr int tcp_backlog = 256;

void set_option(int fd, int level, int option, int value)
{
    if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
        throw_errno("cannot set up a socket");
}

// Sets a buffer size beyond the system's limit if this process may, otherwise one up to the limit.
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
        throw SetupError(port + " on " + endpoint.interface +
                         " is in use: stop what holds it (ss -lnptu), or choose another --port");
    if (error == EACCES)
        throw SetupError("may not use " + port +
                         ": run as root, or grant CAP_NET_BIND_SERVICE, or choose a --port "
                         "from 1024");
    throw SetupError("cannot use " + port + " on " + endpoint.interface + ": " +
                     std::strerror(error));
}

UniqueFd open_socket(const Endpoint &endpoint, int type)
{
    const int domain = endpoint.family == Family::ipv4 ? AF_INET : AF_INET6;
    UniqueFd fd{socket(domain, type | SOCK_CLOEXEC, 0)};
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
    set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF);
    if (bind_wildcard(fd, endpoint) != 0)
        throw_port_error(errno, endpoint, "UDP");
}

} // namespace

SocketAddress::SocketAddress(const IpAddress &address, std::uint16_t port)
    : size(address.is_ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in))
{
    auto *const octets = reinterpret_cast<std::uint8_t *>(&all);
    const in_port_t number = htons(port);
    all.ss_family = address.is_ipv6 ? AF_INET6 : AF_INET;
    std::memcpy(octets + offsetof(sockaddr_in, sin_port), &number, sizeof(number));
    std::memcpy(octets + (address.is_ipv6 ? offsetof(sockaddr_in6, sin6_addr)
                                          : offsetof(sockaddr_in, sin_addr)),
                address.bytes.data(), address.is_ipv6 ? sizeof(in6_addr) : sizeof(in_addr));
}

UniqueFd open_udp_socket(const Endpoint &endpoint)
{
    UniqueFd fd = open_socket(endpoint, SOCK_DGRAM | SOCK_NONBLOCK);
    if (!fd)
        return fd;
    if (endpoint.family == Family::ipv4)
        set_option(fd.get(), IPPROTO_IP, IP_PKTINFO, 1);
    else
        set_option(fd.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
    if (endpoint.family == Family::ipv6 && endpoint.answers_from_anywhere)
        set_option(fd.get(), IPPROTO_IPV6, IPV6_FREEBIND, 1);
    bind_udp_socket(fd.get(), endpoint);
    return fd;
}

UniqueFd open_tcp_listener(const Endpoint &endpoint)
{
    UniqueFd fd = open_socket(endpoint, SOCK_STREAM | SOCK_NONBLOCK);
    if (!fd)
        return fd;
    // The port can be taken even while connections of a server that has just ended linger.
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind_wildcard(fd.get(), endpoint) != 0 || listen(fd.get(), tcp_backlog) != 0)
        throw_port_error(errno, endpoint, "TCP");
    return fd;
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

} // namespace dnsgauge
