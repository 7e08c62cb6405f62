// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an interface's counters say was lost on the Tester's side.
#pragma once

#include "host/xdp_link.h"
#include "machine/counters.h"
#include "result/trial_result.h"

#include "reply_clock_abi.h"

namespace dnsgauge
{

// Sets the parts of `losses` that are of the interface, from what its counters grew by during a
// trial and what the reply clock counted.
//
// A driver and the kernel may count the same loss, and a driver may do so under several names. So
// of each way the kernel's counters are summed, the driver's that differ only in digits (queues,
// priorities) likewise, and the largest of these sums is what was lost: it may have been more. What
// the driver counts of neither way is told and decides nothing.
void attribute_losses(OwnLosses &losses, const CounterValues &growth, const reply_totals &totals,
                      XdpMode mode);

} // namespace dnsgauge
