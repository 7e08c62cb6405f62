// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server must know of the interface it serves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

// Throws SetupError unless `interface` exists in this network namespace and is up.
void require_interface_up(const std::string &interface);

// Its number, which stays when its name changes. Throws SetupError.
[[nodiscard]] unsigned interface_index(const std::string &interface);

// The name it has now; empty where it is in this network namespace no more.
[[nodiscard]] std::string interface_name(unsigned index);

// `interface` itself, then the VLAN interfaces on top of it as they are now: the kernel program
// sees their packets on `interface`, but a socket bound to `interface` does not.
[[nodiscard]] std::vector<std::string> with_vlan_interfaces(const std::string &interface);

// The longest IP packet that leaves by it. Throws SetupError.
[[nodiscard]] unsigned interface_mtu(const std::string &interface);

// Throws SetupError.
[[nodiscard]] unsigned receive_queues(const std::string &interface);

// All zero where the interface has none.
struct InterfaceAddresses {
    std::array<std::uint8_t, 4> ipv4{};
    std::array<std::uint8_t, 16> ipv6{};
};

// The first address of each family that is not link-local; network byte order. Throws SetupError.
[[nodiscard]] InterfaceAddresses interface_addresses(const std::string &interface);

} // namespace dnsgauge
