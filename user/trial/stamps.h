// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The timestamps that a trial asks for beside its own.
#pragma once

#include "host/ethtool.h"
#include "host/xdp_features.h"

#include <optional>
#include <string>

namespace dnsgauge
{

enum class StampMode {
    automatic, // the card's, if it stamps both ways, which gives an RTT by its clock
    off,
    on,  // the same, or refuse the trial
    any, // all stamps there are, even if they give no RTT
};

// The sources of stamps.
struct StampSources {
    std::string interface;
    std::optional<XdpFeatures> driver;
    std::optional<Timestamping> card;
    bool native_xdp = true; // the user allows it
    bool zero_copy = true;  // the user allows it
};

// Returns why there can be no RTT by the card's clock; empty if no reason is known.
[[nodiscard]] std::string why_no_hardware_rtt(const StampSources &sources);

struct StampPlan {
    bool receive = false;  // by XDP metadata
    bool transmit = false; // by AF_XDP metadata
    bool card = false;     // the card must be told to stamp
};

// Throws SetupError if the mode is `on` and there are no such stamps.
[[nodiscard]] StampPlan plan_stamps(StampMode mode, const StampSources &sources);

} // namespace dnsgauge
