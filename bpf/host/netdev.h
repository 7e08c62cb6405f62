// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the kernel's generic netlink family "netdev" (Documentation/netlink/specs/netdev.yaml) tells
// of an interface. Both functions throw SetupError if this process cannot talk to the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

// The XDP and AF_XDP features of an interface's driver.
struct XdpFeatures {
    bool native = false;          // XDP programs run in the driver
    bool takes_redirects = false; // frames that a program redirects to the interface are sent
    bool zero_copy = false;       // AF_XDP without copying
    bool rx_timestamp = false;    // programs can read when the hardware received the packet
    bool rx_hash = false;
    bool rx_vlan_tag = false;
    bool tx_timestamp = false; // AF_XDP learns when the hardware sent the packet
    bool tx_checksum = false;  // AF_XDP can leave checksums to the hardware
};

// Returns nothing if the kernel does not tell (before Linux 6.3).
[[nodiscard]] std::optional<XdpFeatures> read_xdp_features(unsigned interface_index);

// Returns the numbers of the interface's NAPI instances; nothing if the kernel does not tell them
// (before Linux 6.8). A thread of an instance is called "napi/INTERFACE-NUMBER"; interfaces of
// other network namespaces may have threads of the same name with other numbers.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> napi_numbers(unsigned interface_index);

} // namespace dnsgauge
