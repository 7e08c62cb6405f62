// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counters of an interface. They show packets that were lost before any server saw them.
#pragma once

#include "machine/interface.h"
#include "result/trial_result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace dnsgauge
{

// The names of a driver's counters begin with this.
inline constexpr std::string_view driver_counter = "driver.";

// Returns the kernel's counters ("rx_packets", "tx_packets", "rx_dropped", "tx_dropped",
// "rx_errors", "tx_errors", "rx_missed", "carrier_down": how often the link was lost) and the
// driver's, whose own names follow "driver.". A driver's counters of the same name are summed.
// Throws SetupError if the interface is gone.
CounterValues read_counters(const Interface &interface);

// Returns a function like read_counters() of this interface, in the network namespace where this
// function is called. Any thread may call it, without rights. Throws SetupError.
std::function<CounterValues()> counter_reader(const Interface &interface);

// Returns the growth of each counter that grew. A counter that only `after` has grew from zero.
// Throws SetupError if only one of the two has counters of the driver, which could not be read for
// the other.
CounterValues grown(const CounterValues &before, const CounterValues &after);

// The kind of lost packets, by the name of a counter.
enum class Loss {
    none,
    somewhere, // the name does not say whether sending or receiving
    sending,
    receiving,
};

// Returns which packets a counter of this name counts as lost. A counter of losses has a name with
// drops, errors, missed packets, failures, something full, no buffers or discards. These counters
// have such names, and count no losses:
// - packets dropped by choice, by an XDP program or by a filter;
// - a checksum that the card found wrong and left to the kernel;
// - mended bit errors;
// - a driver's stock of pages or of flow rules;
// - a socket's ring that must wait.
// The first word that begins with "rx" or "tx" tells whether receiving or sending lost the packets.
Loss loss_of(const std::string &name);

// Returns how many of the drops in the counter `name` an XDP program chose. A driver may count such
// packets among all drops (virtio_net's "rx_queue_0_drops" contains "rx_queue_0_xdp_drops").
std::uint64_t dropped_by_choice(const CounterValues &growth, const std::string &name);

// Returns the counters of `growth` that count received packets as lost, or do not say whether
// packets were received. Packets that an XDP program dropped are among them, once.
CounterValues lost_receiving(const CounterValues &growth);

} // namespace dnsgauge
