// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses as they stand in packets, and as people write them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

// In network byte order; an IPv4 address takes the first four bytes and leaves the others zero.
struct IpAddress {
    std::array<std::uint8_t, 16> bytes{};
    bool is_ipv6 = false;

    bool operator==(const IpAddress &) const = default;
};

// Dotted decimal, or IPv6 without a zone ("fe80::1%eth0" is refused: the interface is an option of
// its own). Throws SetupError.
IpAddress parse_ip_address(std::string_view text);

// IPv6 in the canonical form of RFC 5952.
std::string to_string(const IpAddress &address);

using MacAddress = std::array<std::uint8_t, 6>;

// Six pairs of hexadecimal digits with colons between them. Throws SetupError.
MacAddress parse_mac_address(std::string_view text);

// In lower case.
std::string to_string(const MacAddress &address);

} // namespace dnsgauge
