// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How the kernel programs send a frame back by the interface it came by (../bounce.h).
#pragma once

#include "host/xdp_link.h"

#include <optional>
#include <string>

namespace dnsgauge
{

// Returns whether programs must send frames back through `interface` by a redirect instead of
// XDP_TX. The veth driver needs the redirect: XDP_TX puts the frame into the other end's ring, but
// wakes only an end that has an XDP program of its own; a redirect wakes every end that polls.
// Throws SetupError.
[[nodiscard]] bool must_redirect(const std::string &interface);

struct BounceMode {
    XdpMode mode = XdpMode::automatic;
    std::string remark{}; // for the user; may be empty
};

// Returns the mode for an end of a veth pair, `interface`, where the user has asked for `wanted`.
// An end that has neither GRO nor an XDP program does not poll, and loses what a native program at
// the other end sends. If the other end does not poll, automatic becomes generic. Before Linux 6.3
// the kernel does not tell whether the other end polls. Then it counts as polling if `interface`
// itself has GRO: a new pair has none until somebody switches it on.
[[nodiscard]] BounceMode veth_bounce_mode(const std::string &interface, XdpMode wanted,
                                          std::optional<bool> other_end_polls, bool has_gro);

// Returns the mode in which to attach a program that bounces frames, where the user has asked for
// `wanted`. Throws SetupError.
[[nodiscard]] BounceMode bounce_mode(const std::string &interface, XdpMode wanted);

} // namespace dnsgauge
