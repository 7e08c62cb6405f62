// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The way to the server, from the kernel's own route and neighbour tables.
#pragma once

#include "net/interface.h"
#include "net/ip_address.h"

#include <chrono>
#include <optional>

namespace dnsgauge
{

struct Route {
    IpAddress source;                 // what the kernel would send from
    std::optional<IpAddress> gateway; // none: the server is on the link
};

// What a query's frame needs.
struct NextHop {
    IpAddress source;
    MacAddress mac{};
    std::optional<IpAddress> gateway;
};

// Throws SetupError: there is no route, it leaves by another interface (which is named), or the
// server is this very host.
[[nodiscard]] Route find_route(const Interface &interface, const IpAddress &server);

// The MAC address of `hop`, a host on the link. Where the kernel does not know it, the kernel is
// made to ask, and given `patience`. Throws SetupError when nobody answers.
[[nodiscard]] MacAddress find_neighbour(const Interface &interface, const IpAddress &hop,
                                        std::chrono::milliseconds patience);

} // namespace dnsgauge
