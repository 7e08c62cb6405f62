// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Judges and counts the replies that one lane's connections bring, as reply_clock.bpf.c does with
// datagrams.
#pragma once

#include "engine/engine.h"
#include "engine/query_tally.h"
#include "streams/open_queries.h"
#include "units/rate.h"
#include "workload/query_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace dnsgauge
{

class ReplyBook
{
public:
    // `expectations` says what the queries expect.
    ReplyBook(const JudgePlan &plan, ExpectationKind expectations, Nanoseconds timeout)
        : plan_(plan), expectations_(expectations),
          timeout_ns_(static_cast<std::uint64_t>(timeout.count()))
    {
    }

    // Takes a message of `size` octets with the ID of `query`, which came at `at_ns`
    // (CLOCK_MONOTONIC); `message` is its beginning. Moves the query to its new state, and counts.
    void take(OpenQuery &query, std::span<const std::uint8_t> message, std::size_t size,
              std::int64_t at_ns);
    // Takes note that the connection that counts as `query` opened at `at_ns`.
    void take_opening(OpenQuery &query, std::int64_t at_ns);
    // Counts a message that belongs to no query.
    void take_unexpected() { tally_.strays.unexpected++; }

    [[nodiscard]] const ReplyTally &tally() const { return tally_; }
    // Returns how many queries have got a reply.
    [[nodiscard]] std::uint64_t answered() const { return answered_; }
    [[nodiscard]] std::uint64_t valid() const { return tally_.queries.states[QUERY_VALID]; }

private:
    [[nodiscard]] judged_reply judge(const OpenQuery &query,
                                     std::span<const std::uint8_t> message) const;
    void count(const OpenQuery &query, query_state before, const judged_reply &reply,
               std::size_t size);

    JudgePlan plan_;
    ExpectationKind expectations_;
    std::uint64_t timeout_ns_;
    ReplyTally tally_;
    std::uint64_t answered_ = 0;
};

// Returns how long the server keeps an idle connection open, by this message; nothing if the
// message does not say, or cannot be read that far.
[[nodiscard]] std::optional<Nanoseconds> keepalive_of(std::span<const std::uint8_t> message);

} // namespace dnsgauge
