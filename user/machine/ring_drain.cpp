// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/ring_drain.h"

#include "host/ethtool.h"
#include "userland/setup_error.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

void drain_ring(const Interface &interface)
{
    const Ethtool ethtool(interface.name);
    if (!ethtool.has_gro() || !ethtool.set_gro(false))
        return;
    if (!ethtool.set_gro(true))
        throw SetupError("cannot switch GRO of " + interface.name +
                         " on again: " + std::strerror(errno) + ": do it by hand (ethtool -K " +
                         interface.name + " gro on)");
}

} // namespace dnsgauge
