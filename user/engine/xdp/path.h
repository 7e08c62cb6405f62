// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How AF_XDP's queries and replies travel.
#pragma once

#include "machine/interface.h"
#include "result/trial_result.h"

namespace dnsgauge
{

// No reply over a veth pair has a shorter RTT: a query enters the kernel by a system call and
// crosses two programs. The shortest RTTs that trials saw are near 2 us.
inline constexpr Nanoseconds veth_rtt_least{300};

// Returns the path over the interface. The least RTT is the time that the shortest frames take on
// the link, both ways. It is veth_rtt_least for a veth pair, and 0 if the link's speed is unknown.
[[nodiscard]] RunPath path_over(const Interface &interface);

} // namespace dnsgauge
