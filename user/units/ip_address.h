// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses in the form of packets, and in the form that people write.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

// An address in network byte order. An IPv4 address takes the first four bytes; the others are
// zero.
struct IpAddress {
    std::array<std::uint8_t, 16> bytes{};
    bool is_ipv6 = false;

    bool operator==(const IpAddress &) const = default;
};

// Reads a dotted decimal address, or an IPv6 address without a zone (it refuses "fe80::1%eth0": the
// interface is an option of its own). Throws SetupError.
IpAddress parse_ip_address(std::string_view text);

// Returns the address; IPv6 in the canonical form of RFC 5952.
std::string to_string(const IpAddress &address);

using MacAddress = std::array<std::uint8_t, 6>;

// Reads six pairs of hexadecimal digits with colons between them. Throws SetupError.
MacAddress parse_mac_address(std::string_view text);

// Returns the address in lower case.
std::string to_string(const MacAddress &address);

} // namespace dnsgauge
