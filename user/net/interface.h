// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A network interface of this network namespace.
#pragma once

#include "net/ip_address.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

struct Interface {
    std::string name;
    unsigned index = 0;
    MacAddress mac{};
    std::uint32_t mtu = 0;
    unsigned rx_queues = 1;
    unsigned tx_queues = 1;
    std::string driver;           // "unknown" where the driver does not say
    std::uint64_t speed_mbps = 0; // 0: unknown
};

// Throws SetupError: there is none of that name (says which there are), it is down, or it is not
// Ethernet.
[[nodiscard]] Interface find_interface(const std::string &name);

} // namespace dnsgauge
