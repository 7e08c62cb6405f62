// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The words for the modes of XDP.
#pragma once

#include "host/xdp_link.h"
#include "userland/words.h"

namespace dnsgauge
{

inline constexpr auto xdp_modes = words<XdpMode>(
    {{XdpMode::automatic, "auto"}, {XdpMode::native, "native"}, {XdpMode::generic, "generic"}});

} // namespace dnsgauge
