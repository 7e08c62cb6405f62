// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server and the echo must know about an interface.
#pragma once

#include "dns/ip_address.h"
#include "system/setup_error.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Thrown if an interface is missing or down. It may come back, as when a driver is loaded again.
class InterfaceMissing : public SetupError
{
public:
    using SetupError::SetupError;
};

// Returns the interface's number, which stays the same if the name changes. Throws InterfaceMissing
// unless `interface` exists in this network namespace and is up. Throws SetupError if the system
// cannot tell, or if no interface can have the name.
unsigned require_interface_up(const std::string &interface);

// Returns false if the interface is not in this network namespace; true also if the system cannot
// tell, as without a free descriptor.
[[nodiscard]] bool interface_exists(unsigned index);

// Returns `interface`, followed by the VLAN interfaces that lie on it now. The kernel program sees
// their packets on `interface`; a socket that is bound to `interface` does not.
[[nodiscard]] std::vector<std::string> with_vlan_interfaces(const std::string &interface);

// Returns the length of the longest IP packet that can leave through the interface, in octets.
// Throws SetupError.
[[nodiscard]] unsigned interface_mtu(const std::string &interface);

// Returns the number of receive queues, at least one. Throws SetupError, also if there are more
// than `most`.
[[nodiscard]] unsigned receive_queues(const std::string &interface, unsigned most);

// An address is all zero if the interface has none of that family.
struct InterfaceAddresses {
    IpAddress ipv4{};
    IpAddress ipv6{.is_ipv6 = true};
};

// Returns each family's first address that is not link-local. Throws SetupError.
[[nodiscard]] InterfaceAddresses interface_addresses(const std::string &interface);

} // namespace dnsgauge
