// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses in the form of packets and as text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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

    // Returns whether this is 0.0.0.0 or ::, which stands for every address of a host.
    [[nodiscard]] bool is_any() const { return bytes == decltype(bytes){}; }

    // Returns the bytes that the family has, 4 or 16.
    [[nodiscard]] std::span<const std::uint8_t> octets() const
    {
        return std::span(bytes).first(is_ipv6 ? 16 : 4);
    }

    // Returns the address of 4 or 16 octets.
    [[nodiscard]] static IpAddress of(std::span<const std::uint8_t> octets);
};

// Returns the address in `text`; nothing if there is none.
[[nodiscard]] std::optional<IpAddress> read_ip_address(std::string_view text);

// Returns the address in `text`: dotted decimal, or IPv6 without a zone ("fe80::1%eth0" is refused,
// because the interface has its own option). Throws SetupError.
[[nodiscard]] IpAddress parse_ip_address(std::string_view text);

// Returns the address in the usual form; IPv6 in the canonical form of RFC 5952.
[[nodiscard]] std::string to_string(const IpAddress &address);

using MacAddress = std::array<std::uint8_t, 6>;

// Returns the address in `text`, which is six pairs of hexadecimal digits with colons between them.
// Throws SetupError.
[[nodiscard]] MacAddress parse_mac_address(std::string_view text);

// Returns the address in lower case.
[[nodiscard]] std::string to_string(const MacAddress &address);

} // namespace dnsgauge
