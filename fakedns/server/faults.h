// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts how often the server did each fault, and predicts these counts. There is a row for each
// kind (wire/fault.h), also for "none", so that the rows add up to all answers.
#pragma once

#include "base/message_stream.h"

#include "dns/name_range.h"
#include "wire/fault.h"

#include <array>
#include <cstdint>
#include <string>

namespace dnsgauge
{

struct FaultCounters {
    std::array<std::uint64_t, FAULTS> done{};
    std::uint64_t waiting = 0; // counted answers that are not sent yet
    std::uint64_t unsent = 0; // counted answers that had no room to wait, or that the stack refused

    FaultCounters &operator+=(const FaultCounters &other);
};

struct ServerFaults {
    FaultCounters xdp;
    FaultCounters udp;
    FaultCounters tcp;
};

// Returns a table with the columns xdp, udp, tcp and total. Every line ends in '\n'.
[[nodiscard]] std::string faults_table(const ServerFaults &faults);

// Returns a table with a row for each kind of fault that connections have, in the same form.
[[nodiscard]] std::string connection_faults_table(const ConnectionFaultCounts &counts);

// Returns the faults that a trial meets if it asks for the AAAA record of each name of the range
// once. The text has a line "KIND NAMES" for each kind of fault, and a line with the delays in
// microseconds for each kind that has any.
[[nodiscard]] std::string prediction_table(const fault_plan &plan, const NameRange &names,
                                           std::uint32_t aaaa_share);

} // namespace dnsgauge
