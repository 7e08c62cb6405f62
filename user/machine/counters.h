// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counters of an interface, to tell where packets were lost that no server ever saw.
#pragma once

#include "machine/interface.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace dnsgauge
{

using CounterValues = std::map<std::string, std::uint64_t>;

inline constexpr std::string_view driver_counter = "driver."; // what a driver's names begin with

// The kernel's own ("rx_packets", "tx_packets", "rx_dropped", "tx_dropped", "rx_errors",
// "tx_errors", "rx_missed", "carrier_down": how often the link was lost) and the driver's, under
// its own names after "driver.". A driver's counters that share a name are summed. Throws
// SetupError if the interface is gone.
CounterValues read_counters(const Interface &interface);

// The counters that grew, by how much; one that only `after` has grew from zero.
CounterValues grown(const CounterValues &before, const CounterValues &after);

// Which packets a counter says were lost.
enum class Loss {
    none,
    somewhere, // it does not say which way they went
    sending,
    receiving,
};

// By the counter's name. It tells of a loss if it speaks of drops, errors, what was missed,
// failures, something full, no buffers or discards: but not of what is dropped by choice (an XDP
// program's, a filter's), of a checksum that the card found wrong and left to others, of bit errors
// that were mended, of a driver's stock of pages or of flow rules, nor of a socket's ring that must
// wait. The way is that of its first word that begins with "rx" or "tx".
Loss loss_of(const std::string &name);

// How much of the growth of a counter of drops is what an XDP program chose to drop: a driver may
// count that there too (virtio_net's "rx_queue_0_drops" contains "rx_queue_0_xdp_drops").
std::uint64_t dropped_by_choice(const CounterValues &growth, const std::string &name);

} // namespace dnsgauge
