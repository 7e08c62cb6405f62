// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Network interfaces, and the one that a trial sends on.
#pragma once

#include "dns/ip_address.h"
#include "system/unique_fd.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace dnsgauge
{

struct Interface {
    std::string name;
    unsigned index = 0;
    MacAddress mac{};
    std::uint32_t mtu = 0; // bytes, without the Ethernet header
    unsigned rx_queues = 0;
    unsigned tx_queues = 0;
    std::string driver;           // empty if the driver does not tell
    std::uint64_t speed_mbps = 0; // 0 if unknown

    // Returns whether the other end of the link is on this very machine.
    [[nodiscard]] bool ends_on_this_machine() const { return driver == "veth"; }
};

// An interface, and the state it is in.
struct LinkState {
    Interface interface;
    bool is_up = false;
    bool has_carrier = false;
    std::string qdisc; // the queueing discipline: "noqueue", "mq", "pfifo"...
};

// Throws SetupError, which says that there is no such interface, and which ones there are.
[[noreturn]] void throw_unknown_interface(const std::string &name);

// Returns the interface `name` of this network namespace. Its queues are the queues in use
// (ethtool's channels), or all existing queues if the driver has no channels to set. Some drivers
// lose their link for seconds whenever an XDP program comes or goes. Throws SetupError in these
// cases:
// - there is no such interface; the message names the existing ones;
// - the interface is down, is not Ethernet, or gets no carrier within `carrier_patience`.
Interface find_interface(const std::string &name,
                         std::chrono::milliseconds carrier_patience = std::chrono::seconds(10));

// Returns the interface with its state, even if the interface is down or has no carrier. Otherwise
// does what find_interface() does.
LinkState find_link(const std::string &name);

// Drops the packets that were sent to a veth end while nothing woke that end, which has no XDP
// program. A peer's XDP_TX puts packets into the ring of the other end, and does not wake an end
// without a program. So packets of earlier traffic, 256 at most, wait in the ring until a program
// is attached: then a trial's first reply wakes that end, and finds no place in the ring. Switching
// GRO off and on again makes the kernel remove the ring and make another one. Does nothing if GRO
// is off, because there is no ring then. Throws SetupError if GRO cannot be switched on again.
void drain_ring(const Interface &interface);

// Holds the interface for a trial, or for a series of trials with pauses between them: an attached
// program shows only while a trial runs who has the interface. Holds it for this process, in the
// interface's network namespace, until the object or the process ends. A process, and the processes
// that it started, may hold it more than once: the first object holds.
class InterfaceHold
{
public:
    // Throws SetupError, with the process that has the interface, if another one has it. Holds
    // nothing if there is no such interface.
    explicit InterfaceHold(const std::string &interface);

private:
    UniqueFd fd_; // empty if this process has the interface already
};

} // namespace dnsgauge
