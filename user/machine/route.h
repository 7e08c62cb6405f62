// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The way of packets to the server: the kernel's own routes and neighbours (rtnetlink(7)).
#pragma once

#include "dns/ip_address.h"
#include "machine/interface.h"

#include <chrono>
#include <optional>

namespace dnsgauge
{

// The addresses in the headers of packets to the server.
struct NextHop {
    IpAddress source;
    MacAddress mac{};
    std::optional<IpAddress> gateway;
};

struct Route {
    IpAddress source;                 // the address that the kernel prefers
    std::optional<IpAddress> gateway; // none if the server is on the link itself
};

// Returns the kernel's route to `server` through `interface`. Throws SetupError if there is no
// route, if the route leaves by another interface, or if `server` is an address of this host.
Route find_route(const Interface &interface, const IpAddress &server);

// Returns the Ethernet address of `hop`, a neighbour on `interface`, from the kernel's neighbour
// table. If the address is not in the table, makes the kernel ask for it. Throws SetupError if
// nobody has answered after `patience`.
MacAddress find_neighbour(const Interface &interface, const IpAddress &hop,
                          std::chrono::milliseconds patience);

// Returns whether packets to `address` end at this host.
[[nodiscard]] bool is_own_address(const IpAddress &address);

// Returns how packets get to `server`. The kernel tells what is not given. Throws SetupError as
// find_route() and find_neighbour() do.
NextHop find_next_hop(const Interface &interface, const IpAddress &server,
                      const std::optional<IpAddress> &source, const std::optional<MacAddress> &mac);

// Returns the Ethernet address of `hop` in the kernel's neighbour table, without asking for it.
std::optional<MacAddress> known_neighbour(const Interface &interface, const IpAddress &hop);

} // namespace dnsgauge
