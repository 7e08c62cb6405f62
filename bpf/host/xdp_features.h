// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The XDP and AF_XDP features of an interface's driver, as the kernel tells them.
#pragma once

#include <optional>

namespace dnsgauge
{

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

// Returns nothing if the kernel does not tell (before Linux 6.3). Throws SetupError if the kernel
// does not talk to this process.
[[nodiscard]] std::optional<XdpFeatures> read_xdp_features(unsigned interface_index);

} // namespace dnsgauge
