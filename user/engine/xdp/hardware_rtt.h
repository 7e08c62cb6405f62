// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RTTs by the clock of a network card, from sending the query until receiving the reply.
//
// The program leaves the receive stamp in the query's slot, and the sender gets the transmit stamp
// with the frame's completion. The stamps, and so their difference, are kept modulo 2^32 ns. The
// RTT by the Tester's clock tells which multiple of 2^32 ns to add, because it exceeds the card's
// RTT only a little.
#pragma once

#include "engine/tally.h"

#include "reply_clock_abi.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

// Returns the RTT between two stamps of one card, as slot_stamp() keeps them; `software` is the
// same RTT by the Tester's clock. Returns nothing if the card's RTT is longer than `software` by
// more than clocks drift apart: one of the two is wrong.
[[nodiscard]] std::optional<std::uint64_t>
hardware_rtt(std::uint32_t transmitted, std::uint32_t received, std::uint64_t software);

// Holds one sender's transmit stamps, each until its query's slot is used again.
class StampBook
{
public:
    // The sender has `slots` slots and `frames` frames. With `same_clock` one clock stamps both
    // ways, so the difference of the stamps is an RTT.
    StampBook(std::size_t slots, std::size_t frames, bool same_clock);

    // Takes note that the sender's query `number` goes out in `frame`. The slot's last query must
    // have been settled.
    void send(std::uint64_t number, std::uint32_t frame);
    // Takes note that the frame was sent at `stamp`; 0 means an unknown time. `next` is the number
    // of the sender's next query.
    void complete(std::uint32_t frame, std::uint64_t stamp, std::uint64_t next);
    // Counts the stamps of query `number`, whose slot holds `word` and the receive stamp
    // `received`.
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
