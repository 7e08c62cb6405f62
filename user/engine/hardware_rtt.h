// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RTTs by the clock of a network card: from when it sent the query until it received the reply.
//
// The program leaves the receive stamp in the query's slot, the sender learns the transmit stamp
// with the frame's completion. Both are kept modulo 2^32 ns; the RTT that the Tester's own clock
// measured, which is the longer one by what passes between wire and clock, tells the rest.
#pragma once

#include "engine/histogram.h"
#include "result/trial_result.h"

#include "reply_clock_abi.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

// The difference of two slot_stamp() of one clock, `software` being the same RTT by another clock.
// Nothing if the two contradict each other: the card's is longer, by more than clocks drift apart.
[[nodiscard]] std::optional<std::uint64_t>
hardware_rtt(std::uint32_t transmitted, std::uint32_t received, std::uint64_t software);

// RTTs as they come, and their summary.
class RttTally
{
public:
    void add(std::uint64_t rtt);
    void add(const RttTally &other);
    [[nodiscard]] RttSummary summary() const;

private:
    __extension__ using wide = unsigned __int128;

    Histogram histogram_;
    std::uint64_t min_ = ~std::uint64_t{0};
    wide sum_ = 0;
    wide squares_ = 0;
};

// What the stamps of a trial's valid queries came to.
struct StampCounts {
    std::uint64_t transmitted = 0; // transmit stamps
    std::uint64_t received = 0;    // receive stamps
    std::uint64_t contradictory = 0;
};

// One sender's transmit stamps, until each query's slot is used again.
class StampBook
{
public:
    // `slots` and `frames` are the sender's; stamps of different clocks must not be subtracted.
    StampBook(std::size_t slots, std::size_t frames, bool same_clock);

    // Query `number` of the sender's goes out in `frame`; its slot's last one is settled.
    void send(std::uint64_t number, std::uint32_t frame);
    // The frame has been sent, `stamp` is when, or 0. `next` is the number of the query to come.
    void complete(std::uint32_t frame, std::uint64_t stamp, std::uint64_t next);
    // What became of query `number`, whose slot holds `word` and the receive stamp `received`.
    void settle(std::uint64_t number, std::uint64_t word, std::uint32_t received);

    [[nodiscard]] const StampCounts &counts() const { return counts_; }
    [[nodiscard]] const RttTally &rtts() const { return rtts_; }

private:
    std::vector<std::uint32_t> stamps_;   // of each slot
    std::vector<std::uint64_t> in_frame_; // the number of the query in each frame
    bool same_clock_;
    StampCounts counts_;
    RttTally rtts_;
};

} // namespace dnsgauge
