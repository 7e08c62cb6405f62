// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the answer to one query. So the sockets do what fakedns.bpf.c does in the kernel, by the
// same three functions of wire/answer.h. These functions use no socket and no clock.
#pragma once

#include "base/message_stream.h"
#include "server/counters.h"
#include "server/faults.h"

#include "fakedns_abi.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

struct Answered {
    answer_kind kind = ANSWER_IGNORED;
    unsigned type = FAKEDNS_TYPE_OTHER; // asked for: a fakedns_type
    std::size_t length = 0; // octets of the answer; 0 if and only if the query is ignored
};

// Returns room that always suffices to answer a query of `query_length` octets in place.
constexpr std::size_t answer_room(std::size_t query_length)
{
    return query_length < ANSWER_SIZE_MAX ? std::size_t{ANSWER_SIZE_MAX} : query_length;
}

// Overwrites the query in the first `query_length` octets of `buffer` with its answer.
// `buffer` holds at least answer_room(query_length) octets.
[[nodiscard]] Answered answer_message(std::span<std::uint8_t> buffer, std::size_t query_length,
                                      const answer_zones &zones);

// An answer with a fault by a plan. In the kernel fault.bpf.c makes the same.
struct FaultyAnswer {
    Answered answered;      // length 0: nothing is sent
    bool is_answer = false; // the query was not ignored, so its fault counts
    unsigned fault = FAULT_NONE;
    std::uint64_t delay_ns = 0;
    unsigned copies = 0;
};

// Makes the answer to one query as answer_message() does, by the functions of wire/fault.h.
// `buffer` also holds at least FAULT_PAD_MAX octets.
[[nodiscard]] FaultyAnswer faulty_answer_message(std::span<std::uint8_t> buffer,
                                                 std::size_t query_length,
                                                 const answer_zones &zones, const fault_plan &plan);

// EDNS options of answers over connections: edns-tcp-keepalive (RFC 7828), and padding inside TLS
// (RFC 7830). An answer has the options that its query has.
struct StreamOptions {
    std::uint16_t keepalive = 0; // tenths of a second until an idle connection is closed; 0 if none
    bool pads = false;

    static constexpr std::size_t block = 468; // RFC 8467 section 4.1
    // Returns the greatest number of octets that the options can take.
    [[nodiscard]] std::size_t most() const
    {
        constexpr std::size_t keepalive_size = 6;
        constexpr std::size_t padding_size = 4 + block;
        return keepalive_size + (pads ? padding_size : 0);
    }

    // The options that a query has and its answer gets.
    struct Wish {
        bool keepalive = false;
        bool padding = false;
    };
    [[nodiscard]] Wish wish_of(std::span<const std::uint8_t> query) const;

    // Adds options to the answer in the first `length` octets of `buffer`, if the answer ends with
    // an OPT record without options. The buffer must have room for most() more octets. Returns the
    // new length.
    [[nodiscard]] std::size_t add(const Wish &wish, std::span<std::uint8_t> buffer,
                                  std::size_t length) const;
};

// What all connections of a server that misbehaves share.
struct StreamFaults {
    fault_plan plan{};
    FaultCounters counters;
};

// Answers the queries of a connection, and counts the answers. With faults, spoils, doubles and
// holds answers as their plan says.
class ZoneAnswerer : public MessageAnswerer
{
public:
    // All arguments but the options must outlive the object.
    ZoneAnswerer(const answer_zones &zones, Counters &counters, const StreamOptions &options = {},
                 StreamFaults *faults = nullptr)
        : zones_(zones), counters_(counters), options_(options), faults_(faults)
    {
    }

    [[nodiscard]] std::size_t room(std::size_t query_length) const override;
    std::size_t answer(std::span<std::uint8_t> buffer, std::size_t query_length) override;
    [[nodiscard]] HeldAnswers *held() override { return faults_ != nullptr ? &held_ : nullptr; }
    void add_unsent(std::size_t answers) override;

private:
    void hold(std::span<const std::uint8_t> answer, std::uint64_t due_ns);

    const answer_zones &zones_;
    Counters &counters_;
    StreamOptions options_;
    StreamFaults *faults_;
    HeldAnswers held_;
};

} // namespace dnsgauge
