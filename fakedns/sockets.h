// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server's sockets: wildcard address, bound to one interface, non-blocking.
#pragma once

#include "host/unique_fd.h"

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

} // namespace dnsgauge
