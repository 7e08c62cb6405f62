// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Where a packet to the server has to go: the kernel's own routes and neighbours (rtnetlink(7)).
#pragma once

#include "machine/interface.h"
#include "units/ip_address.h"

#include <chrono>
#include <optional>

namespace dnsgauge
{

// What the head of a packet to the server is made of.
struct NextHop {
    IpAddress source;
    MacAddress mac{};
    std::optional<IpAddress> gateway;
};

struct Route {
    IpAddress source;                 // the one the kernel prefers
    std::optional<IpAddress> gateway; // none: the server is on the link itself
};

// The kernel's route to `server` through `interface`. Throws SetupError: there is none, it leaves
// by another interface, or the server is an address of this host.
Route find_route(const Interface &interface, const IpAddress &server);

// The Ethernet address of `hop`, which is a neighbour on `interface`: from the kernel's neighbour
// table, or else by having the kernel ask for it. Throws SetupError if nobody has answered after
// `patience`.
MacAddress find_neighbour(const Interface &interface, const IpAddress &hop,
                          std::chrono::milliseconds patience);

// What the kernel's neighbour table says of `hop` now, without asking for it.
std::optional<MacAddress> known_neighbour(const Interface &interface, const IpAddress &hop);

} // namespace dnsgauge
