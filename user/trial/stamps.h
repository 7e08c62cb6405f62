// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which timestamps a trial asks for beside its own.
#pragma once

#include "host/xdp_features.h"
#include "machine/ethtool.h"

#include <optional>
#include <string>

namespace dnsgauge
{

enum class StampMode {
    automatic, // the card's, where it stamps both ways: then there is an RTT by its clock
    off,
    on,  // they must be there
    any, // whatever stamps there are, also where they make no RTT
};

// What there is to stamp packets with.
struct StampSources {
    std::string interface;
    std::optional<XdpFeatures> driver;
    std::optional<Timestamping> card;
    bool native_xdp = true; // may be used, as far as the user is concerned
    bool zero_copy = true;  // likewise
};

// Why there is no RTT by the card's clock; empty: nothing is known that stands against it.
[[nodiscard]] std::string why_no_hardware_rtt(const StampSources &sources);

struct StampPlan {
    bool receive = false;  // by XDP metadata
    bool transmit = false; // by AF_XDP metadata
    bool card = false;     // the card must be told to stamp
};

// Throws SetupError: the mode is `on`, and they are not to be had.
[[nodiscard]] StampPlan plan_stamps(StampMode mode, const StampSources &sources);

} // namespace dnsgauge
