// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server's sockets: wildcard address, bound to one interface, non-blocking but for the echo's.
#pragma once

#include "common/unique_fd.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace dnsgauge
{

enum class Family { ipv4, ipv6 };

// What a socket is bound to.
struct Endpoint {
    Family family = Family::ipv4;
    std::string interface;
    std::uint16_t port = 0;
};

// Both throw SetupError: the port is taken, or a capability is missing. An empty descriptor means
// that this kernel does not have the address family.

// Received messages carry IP_PKTINFO or IPV6_PKTINFO.
[[nodiscard]] UniqueFd open_udp_socket(const Endpoint &endpoint);
[[nodiscard]] UniqueFd open_tcp_listener(const Endpoint &endpoint);

// One that blocks, for IPv4 and IPv6 alike where the kernel has both. With `shares_port` others may
// be opened for the same port, and the kernel spreads queries over them (SO_REUSEPORT). Throws
// SetupError.
[[nodiscard]] UniqueFd open_echo_socket(const std::string &interface, std::uint16_t port,
                                        bool shares_port);

// Of an IPv4 or IPv6 address, in network byte order.
[[nodiscard]] in_port_t source_port(const sockaddr_storage &from);

} // namespace dnsgauge
