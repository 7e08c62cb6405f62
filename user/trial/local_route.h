// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses that connections may come from although no interface has them.
#pragma once

#include "userland/ip_prefix.h"

namespace dnsgauge
{

// Throws SetupError if packets to the prefix do not end at this host.
void require_local_route(const IpPrefix &prefix);

} // namespace dnsgauge
