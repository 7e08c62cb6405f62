// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of this engine alone. A trial's plan holds them without knowing them.
#pragma once

#include "dns/ip_address.h"
#include "host/xdp_link.h"
#include "options/option.h"
#include "xsk/tx_socket.h"

#include <any>
#include <cstdint>
#include <optional>

namespace dnsgauge
{

enum class StampMode {
    automatic, // take the card's stamps if the card stamps both ways, which gives an RTT
    off,       // take no stamps
    on,        // take the card's stamps of both ways, or refuse the trial
    any,       // take all stamps that there are, even if they give no RTT
};

struct XdpOptions {
    XdpMode xdp_mode = XdpMode::automatic;
    TxOptions tx;
    StampMode stamps = StampMode::automatic;
    std::uint32_t source_ports = 4000; // of each lane
    std::uint16_t first_source_port = 1024;
    std::optional<MacAddress> server_mac; // of the next hop; by default from the kernel's tables
    std::optional<std::uint16_t> vlan;    // IEEE 802.1Q identifier, 1..4094
};

// Returns the options that `held` holds; the default options if it is empty.
[[nodiscard]] XdpOptions xdp_options_in(const std::any &held);

// Returns rows for the options in `held`.
[[nodiscard]] Options xdp_option_rows(std::any &held);

} // namespace dnsgauge
