// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The words for the modes of XDP.
#pragma once

#include "common/words.h"
#include "host/xdp_link.h"

namespace dnsgauge
{

inline constexpr auto xdp_modes = words<XdpMode>(
    {{XdpMode::automatic, "auto"}, {XdpMode::native, "native"}, {XdpMode::generic, "generic"}});

} // namespace dnsgauge
