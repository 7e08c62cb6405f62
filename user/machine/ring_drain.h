// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Empties a veth end's ring of what was sent there while nothing woke that end.
//
// A peer's XDP_TX puts packets into the ring of the other end, and does not wake an end that has no
// XDP program. Packets of somebody else's traffic so wait in the ring, 256 at most, until something
// arrives in another way. If that is a trial's first reply, a full ring has no place for it.
#pragma once

#include "machine/interface.h"
#include "units/ip_address.h"

namespace dnsgauge
{

// Asks `neighbour`, which must be on the link of `interface`, for an echo (ICMP, ICMPv6): the
// reply's arrival wakes the veth end, and the reply stands behind all that waited. Returns whether
// it came, so that the ring is empty; false, after some 100 ms, where the neighbour does not
// answer.
bool drain_ring(const Interface &interface, const IpAddress &neighbour);

} // namespace dnsgauge
