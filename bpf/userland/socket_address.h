// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "userland/ip_address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dnsgauge
{

// An address and a port as the kernel takes them.
struct SocketAddress {
    // With IpAddress{} the address stands for every address of the host.
    SocketAddress(const IpAddress &address, std::uint16_t port)
        : size(address.is_ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in))
    {
        auto *const octets = reinterpret_cast<std::uint8_t *>(&all);
        const in_port_t number = htons(port);
        all.ss_family = address.is_ipv6 ? AF_INET6 : AF_INET;
        std::memcpy(octets + offsetof(sockaddr_in, sin_port), &number, sizeof(number));
        std::ranges::copy(address.octets(),
                          octets + (address.is_ipv6 ? offsetof(sockaddr_in6, sin6_addr)
                                                    : offsetof(sockaddr_in, sin_addr)));
    }

    [[nodiscard]] const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&all); }

    sockaddr_storage all{};
    socklen_t size;
};

} // namespace dnsgauge
