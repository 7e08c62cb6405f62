// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts how often the server did each fault. There is a row for each kind (wire/fault.h), "none"
// included, so that the rows sum up to all answers made for UDP.
#pragma once

#include "wire/fault.h"

#include <array>
#include <cstdint>
#include <string>

namespace dnsgauge
{

struct FaultCounters {
    std::array<std::uint64_t, FAULTS> done{};
    std::uint64_t waiting = 0; // answers of these that are not sent yet
    std::uint64_t unsent = 0;  // answers of these that found no room to wait, or that were refused

    FaultCounters &operator+=(const FaultCounters &other);
};

struct ServerFaults {
    FaultCounters xdp;
    FaultCounters udp;
};

// Returns a table with the columns xdp, udp and total. Every line ends in '\n'.
[[nodiscard]] std::string faults_table(const ServerFaults &faults);

} // namespace dnsgauge
