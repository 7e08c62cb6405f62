// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Drops the packets that were sent to a veth end while nothing woke that end.
//
// A peer's XDP_TX puts packets into the ring of the other end, and does not wake an end that has no
// XDP program. So packets of earlier traffic, 256 at most, wait in the ring until a program is
// attached: then a trial's first reply wakes that end, and finds no place in the ring.
#pragma once

#include "machine/interface.h"

namespace dnsgauge
{

// Switches GRO of a veth end, which has no XDP program, off and on again: the kernel then removes
// the ring, and makes another one. Does nothing if GRO is off, because there is no ring then.
// Throws SetupError if GRO cannot be switched on again.
void drain_ring(const Interface &interface);

} // namespace dnsgauge
