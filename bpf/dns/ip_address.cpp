// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/ip_address.h"

#include "system/number_text.h"
#include "system/setup_error.h"

#include <arpa/inet.h>

#include <algorithm>
#include <fmt/format.h>

namespace dnsgauge
{

IpAddress IpAddress::of(std::span<const std::uint8_t> octets)
{
    IpAddress address{.is_ipv6 = octets.size() == 16};
    std::ranges::copy(octets, address.bytes.begin());
    return address;
}

std::optional<IpAddress> read_ip_address(std::string_view text)
{
    IpAddress address{.bytes = {}, .is_ipv6 = text.find(':') != std::string_view::npos};
    const bool has_zero_byte = text.find('\0') != std::string_view::npos;
    if (has_zero_byte || inet_pton(address.is_ipv6 ? AF_INET6 : AF_INET, std::string(text).c_str(),
                                   address.bytes.data()) != 1)
        return std::nullopt;
    return address;
}

IpAddress parse_ip_address(std::string_view text)
{
    if (const auto address = read_ip_address(text))
        return *address;
    throw SetupError("\"{}\" is not an IP address: write it like 192.0.2.1 or 2001:db8::1", text);
}

std::string to_string(const IpAddress &address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(address.is_ipv6 ? AF_INET6 : AF_INET, address.bytes.data(), text.data(), text.size());
    return text.data();
}

MacAddress parse_mac_address(std::string_view text)
{
    MacAddress address{};
    const auto octets = read_octets(text, ":");
    if (!octets || octets->size() != address.size())
        throw SetupError("\"{}\" is not an Ethernet address: write it like 02:00:5e:10:00:01",
                         text);
    std::ranges::copy(*octets, address.begin());
    return address;
}

std::string to_string(const MacAddress &address)
{
    return fmt::format("{:02x}", fmt::join(address, ":"));
}

} // namespace dnsgauge
