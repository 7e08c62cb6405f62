// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses as values. These parsers throw SetupError, which quotes the text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

struct IpAddress {
    std::array<std::uint8_t, 16> bytes{}; // network order; IPv4 in the first four
    bool is_ipv6 = false;

    bool operator==(const IpAddress &) const = default;
    [[nodiscard]] std::size_t size() const { return is_ipv6 ? 16 : 4; }
};

using MacAddress = std::array<std::uint8_t, 6>;

[[nodiscard]] IpAddress parse_ip_address(std::string_view text);
[[nodiscard]] MacAddress parse_mac_address(std::string_view text);
[[nodiscard]] std::string to_string(const IpAddress &address);
[[nodiscard]] std::string to_string(const MacAddress &address);

} // namespace dnsgauge
