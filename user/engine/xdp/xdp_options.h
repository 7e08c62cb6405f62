// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of this engine alone. A trial's plan holds them without knowing them.
#pragma once

#include "host/xdp_link.h"
#include "options/option.h"
#include "xsk/tx_socket.h"

#include <any>

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
};

// Returns the options that `held` holds; the default options if it is empty.
[[nodiscard]] XdpOptions xdp_options_in(const std::any &held);

// Return rows for the options in `held`: for how queries are sent, and for what is stamped.
[[nodiscard]] Options mode_options(std::any &held);
[[nodiscard]] Options stamp_options(std::any &held);

} // namespace dnsgauge
