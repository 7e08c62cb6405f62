// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/local_route.h"

#include "machine/route.h"
#include "userland/setup_error.h"

namespace dnsgauge
{

void require_local_route(const IpPrefix &prefix)
{
    if (is_own_address(prefix.address(0)) && is_own_address(prefix.address(prefix.size() - 1)))
        return;
    throw SetupError("connections from {0} need a local route, by which replies reach this host: "
                     "add it (ip{1} route add local {0} dev lo)",
                     to_string(prefix), prefix.first.is_ipv6 ? " -6" : "");
}

} // namespace dnsgauge
