// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/ip_address.h"

#include "host/setup_error.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/ether.h>

#include <algorithm>
#include <cstring>

namespace dnsgauge
{

IpAddress parse_ip_address(std::string_view text)
{
    const std::string terminated(text);
    IpAddress address;
    address.is_ipv6 = text.find(':') != std::string_view::npos;
    if (inet_pton(address.is_ipv6 ? AF_INET6 : AF_INET, terminated.c_str(), address.bytes.data()) !=
        1)
        throw SetupError("\"" + terminated + "\" is no IP address: write 198.18.0.2 or 2001:2::2");
    return address;
}

MacAddress parse_mac_address(std::string_view text)
{
    const std::string terminated(text);
    ether_addr parsed{};
    if (ether_aton_r(terminated.c_str(), &parsed) == nullptr)
        throw SetupError("\"" + terminated + "\" is no MAC address: write 02:00:00:00:00:01");
    MacAddress address{};
    std::copy(std::begin(parsed.ether_addr_octet), std::end(parsed.ether_addr_octet),
              address.begin());
    return address;
}

std::string to_string(const IpAddress &address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(address.is_ipv6 ? AF_INET6 : AF_INET, address.bytes.data(), text.data(), text.size());
    return text.data();
}

std::string to_string(const MacAddress &address)
{
    return fmt::format("{:02x}", fmt::join(address, ":"));
}

} // namespace dnsgauge
