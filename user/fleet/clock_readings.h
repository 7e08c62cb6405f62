// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The offset of another Tester's clock, from round trips of messages.
#pragma once

#include "fleet/channel.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

// A message went to the other Tester, which read its clock and answered.
struct RoundTrip {
    Nanoseconds sent{};     // by the clock of this Tester
    Nanoseconds theirs{};   // by the other clock
    Nanoseconds received{}; // by the clock of this Tester
};

// Returns the offset of the other clock by the shortest of the round trips, of which there is at
// least one. The other clock was read at some time of the round trip: the middle is wrong by half
// of the round trip at most.
[[nodiscard]] ClockReading reading_of(const std::vector<RoundTrip> &trips);

// Returns the offset of the clock of Tester `other`, which answers by answer_pings() meanwhile;
// nothing if an answer did not come in time.
[[nodiscard]] std::optional<ClockReading> read_clock(Channel &channel, std::uint32_t other);

// Answers the pings of one read_clock() of Tester `other`.
void answer_pings(Channel &channel, std::uint32_t other);

} // namespace dnsgauge
