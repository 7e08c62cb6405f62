// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The timestamps of cards and drivers that the engine takes besides its own times.
#pragma once

#include "host/ethtool.h"
#include "host/netdev.h"
#include "machine/card_stamping.h"
#include "xdp/xdp_options.h"

#include <optional>
#include <string>

namespace dnsgauge
{

struct Interface;

// The sources of stamps, and what the user allows.
struct StampSources {
    std::string interface;
    std::optional<XdpFeatures> driver;
    std::optional<Timestamping> card;
    bool native_xdp = true; // is allowed
    bool zero_copy = true;  // is allowed
};

// Returns why the card's clock can give no RTT; empty if no reason is known.
[[nodiscard]] std::string why_no_hardware_rtt(const StampSources &sources);

// The stamps to take.
struct StampPlan {
    bool receive = false;  // by XDP metadata
    bool transmit = false; // by AF_XDP metadata
    bool card = false;     // the card must be told to stamp
};

// Returns the stamps to take in this mode. Throws SetupError if the mode is `on` and there are no
// such stamps.
[[nodiscard]] StampPlan plan_stamps(StampMode mode, const StampSources &sources);

// Returns the sources of stamps on this interface, as far as the options allow them.
[[nodiscard]] StampSources stamp_sources(const XdpOptions &options, const Interface &interface);

// Returns the stamps to take. If the card must be told to stamp, tells it, and keeps that in
// `card`. Throws SetupError as plan_stamps() does.
[[nodiscard]] StampPlan start_stamping(StampMode mode, const StampSources &sources,
                                       std::optional<CardStamping> &card);

} // namespace dnsgauge
