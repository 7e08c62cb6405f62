// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers over TCP that are wrong as a plan says.
#pragma once

#include "base/message_stream.h"
#include "server/counters.h"
#include "server/faults.h"
#include "server/stream_options.h"

#include "wire/answer.h"
#include "wire/fault.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

// What all connections of a server that misbehaves share.
struct StreamFaults {
    fault_plan plan{};
    FaultCounters counters;
};

// Spoils, doubles and holds the answers of a connection, and counts them.
class FaultyAnswerer : public MessageAnswerer
{
public:
    // All arguments but the options must outlive the object.
    FaultyAnswerer(const answer_zones &zones, Counters &counters, StreamFaults &faults,
                   const StreamOptions &options = {})
        : zones_(zones), counters_(counters), faults_(faults), options_(options)
    {
    }

    [[nodiscard]] std::size_t room(std::size_t query_length) const override;
    std::size_t answer(std::span<std::uint8_t> buffer, std::size_t query_length) override;
    [[nodiscard]] HeldAnswers *held() override { return &held_; }
    void add_unsent(std::size_t answers) override;

private:
    void hold(std::span<const std::uint8_t> answer, std::uint64_t due_ns);

    const answer_zones &zones_;
    Counters &counters_;
    StreamFaults &faults_;
    StreamOptions options_;
    HeldAnswers held_;
};

} // namespace dnsgauge
