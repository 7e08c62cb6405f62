// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The offset of another Tester's clock, from round trips of messages.
#pragma once

#include "fleet/channel.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A message to the other Tester, which read its clock and answered.
struct RoundTrip {
    Nanoseconds sent{};     // by the clock of this Tester
    Nanoseconds theirs{};   // by the other clock
    Nanoseconds received{}; // by the clock of this Tester
};

// Returns the offset of the other clock by the shortest round trip. There must be a round trip. The
// other clock was read between sending and receiving, so the error of the middle is at most half of
// the round trip.
[[nodiscard]] ClockReading reading_of(const std::vector<RoundTrip> &trips);

// Returns the offset of Tester `other`'s clock, which a ShownClock shows; nothing if no answer came
// in time. The answer to the last ping may come after the return: see is_answer().
[[nodiscard]] std::optional<ClockReading> read_clock(Channel &channel, std::uint32_t other);

// Returns whether the text is an answer to a ping.
[[nodiscard]] bool is_answer(const std::string &text);

// Shows this Tester's clock to Tester `other`: answers pings whenever they come.
class ShownClock
{
public:
    ShownClock(Channel &channel, std::uint32_t other) : channel_(channel), other_(other) {}

    // Tells that the other Tester begins a read_clock(). Until that is over, receive() does not
    // sleep.
    void begin_reading();

    // Returns the next message of the other Tester that is not a ping; nothing if none comes by
    // `deadline`.
    [[nodiscard]] std::optional<std::string> receive(Nanoseconds deadline);

private:
    Channel &channel_;
    std::uint32_t other_;
    int pings_due_ = 0;
    Nanoseconds reading_ends_{};
};

} // namespace dnsgauge
