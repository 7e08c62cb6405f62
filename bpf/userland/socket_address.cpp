// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/socket_address.h"

#include <netinet/in.h>

#include <cstddef>
#include <cstring>

namespace dnsgauge
{

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

} // namespace dnsgauge
