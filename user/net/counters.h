// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counters of an interface, to tell where packets were lost that no server ever saw.
#pragma once

#include "net/interface.h"

#include <cstdint>
#include <map>
#include <string>

namespace dnsgauge
{

using CounterValues = std::map<std::string, std::uint64_t>;

// The kernel's own ("rx_packets", "tx_packets", "rx_dropped", "tx_dropped", "rx_errors",
// "tx_errors", "rx_missed", "carrier_down": how often the link was lost) and the driver's, under
// its own names after "driver.". A driver's counters that share a name are summed. Throws
// SetupError if the interface is gone.
CounterValues read_counters(const Interface &interface);

// The counters that grew, by how much; one that only `after` has grew from zero.
CounterValues grown(const CounterValues &before, const CounterValues &after);

// Whether the name tells of lost packets: it speaks of drops, errors, misses, failures, something
// full, or discards.
bool is_loss(const std::string &name);

// How much of the growth of a counter of drops is what an XDP program chose to drop: a driver may
// count that there too (virtio_net's "rx_queue_0_drops" contains "rx_queue_0_xdp_drops").
std::uint64_t dropped_by_choice(const CounterValues &growth, const std::string &name);

} // namespace dnsgauge
