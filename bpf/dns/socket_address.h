// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "dns/ip_address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace dnsgauge
{

// Returns the octets of an address of the family (sockaddr, sockaddr_storage), in network byte
// order.
template <class Address>
[[nodiscard]] auto address_octets(Address &address, int family)
{
    using Octet = std::conditional_t<std::is_const_v<Address>, const std::uint8_t, std::uint8_t>;
    auto *const octets = reinterpret_cast<Octet *>(&address);
    return family == AF_INET6
               ? std::span(octets + offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr))
               : std::span(octets + offsetof(sockaddr_in, sin_addr), sizeof(in_addr));
}

// An address and a port in the kernel's form.
struct SocketAddress {
    // With IpAddress{} the address stands for every address of the host.
    SocketAddress(const IpAddress &address, std::uint16_t port)
        : size(address.is_ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in))
    {
        all.ss_family = address.is_ipv6 ? AF_INET6 : AF_INET;
        const in_port_t number = htons(port);
        std::memcpy(reinterpret_cast<std::uint8_t *>(&all) + offsetof(sockaddr_in, sin_port),
                    &number, sizeof(number));
        std::ranges::copy(address.octets(), address_octets(all, all.ss_family).begin());
    }

    [[nodiscard]] const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&all); }

    sockaddr_storage all{};
    socklen_t size;
};

} // namespace dnsgauge
