// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An interface's own counters, to tell where packets were lost on this side.
#pragma once

#include "net/interface.h"

#include <cstdint>
#include <map>
#include <string>

namespace dnsgauge
{

// The kernel's counters by their names in IFLA_STATS64 (rx_packets, tx_dropped, ...), and the
// driver's own (ethtool -S) with "driver." before theirs.
using CounterValues = std::map<std::string, std::uint64_t>;

[[nodiscard]] CounterValues read_counters(const Interface &interface);

// Those that grew from `before` to `after`, and by how much.
[[nodiscard]] CounterValues grown(const CounterValues &before, const CounterValues &after);

// Does a counter of this name count lost packets? What an XDP program chose to drop is not lost.
[[nodiscard]] bool is_loss(const std::string &name);

} // namespace dnsgauge
