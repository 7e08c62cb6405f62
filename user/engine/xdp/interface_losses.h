// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds losses on the Tester's side in an interface's counters.
#pragma once

#include "engine/query_tally.h"
#include "host/xdp_link.h"
#include "machine/counters.h"
#include "result/trial_result.h"

namespace dnsgauge
{

// Sets the interface's parts of `losses`, from the growth of its counters during a trial and from
// the counts of the reply clock.
//
// A driver and the kernel may count the same loss, and a driver may count a loss under several
// names. So each direction has several sums: of the kernel's counters, and of the driver's counters
// whose names differ only in digits (queues, priorities). The largest sum is the loss; the true
// loss may be larger. A driver's counters that name no direction are listed, and decide nothing.
// Replies that the reply clock itself dropped are no loss, and are not listed.
void attribute_losses(OwnLosses &losses, const CounterValues &growth, const ReplyTally &replies,
                      XdpMode mode);

} // namespace dnsgauge
