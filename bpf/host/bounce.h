// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How the kernel programs send a frame back by the interface it came by (../bounce.h).
#pragma once

#include "host/xdp_link.h"

#include <string>

namespace dnsgauge
{

// Returns whether programs on `interface` must redirect to it where XDP_TX sends on other drivers.
// veth is such a driver: XDP_TX puts the frame into the other end's ring, but wakes only an end
// that has an XDP program of its own; a redirect wakes every end that polls. Throws SetupError.
[[nodiscard]] bool must_redirect(const std::string &interface);

struct BounceMode {
    XdpMode mode = XdpMode::automatic;
    std::string remark{}; // for the user; empty: there is nothing to say
};

// Returns the mode in which to attach a program that bounces frames, where the user has asked for
// `wanted`. The other end of a veth pair that neither has GRO on nor carries an XDP program does
// not poll, and loses what a native program sends to it: automatic becomes generic there. Before
// Linux 6.3 the kernel does not tell, and the mode stays as it was asked for. Throws SetupError.
[[nodiscard]] BounceMode bounce_mode(const std::string &interface, XdpMode wanted);

} // namespace dnsgauge
