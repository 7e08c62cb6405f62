// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/host_address.h"

#include "common/setup_error.h"

#include <arpa/inet.h>

#include <array>

namespace dnsgauge
{

HostAddress parse_host_address(std::string_view text)
{
    const std::string given{text};
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    for (const int family : {AF_INET, AF_INET6}) {
        if (inet_pton(family, given.c_str(), bytes.data()) != 1)
            continue;
        std::array<char, INET6_ADDRSTRLEN> usual{};
        inet_ntop(family, bytes.data(), usual.data(), usual.size());
        return {family == AF_INET6, usual.data()};
    }
    throw SetupError("\"" + given + "\" is no IPv4 or IPv6 address: give a numeric one");
}

} // namespace dnsgauge
