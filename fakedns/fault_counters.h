// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How often each fault was done: a row for each kind (wire/fault.h), "none" included, so that the
// rows sum up to the answers that were made by UDP.
#pragma once

#include "wire/fault.h"

#include <array>
#include <cstdint>
#include <string>

namespace dnsgauge
{

struct FaultCounters {
    std::array<std::uint64_t, FAULTS> done{};
    std::uint64_t waiting = 0; // of those: to be sent yet
    std::uint64_t unsent = 0;  // of those: there was no room to wait, or the stack did not take it

    FaultCounters &operator+=(const FaultCounters &other);
};

struct ServerFaults {
    FaultCounters xdp;
    FaultCounters udp;
};

// A table: columns xdp, udp and total; every line ends in '\n'.
[[nodiscard]] std::string faults_table(const ServerFaults &faults);

} // namespace dnsgauge
