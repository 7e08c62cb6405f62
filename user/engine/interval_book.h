// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What became of queries, by the interval in which they were sent.
#pragma once

#include "engine/query_tally.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

// Returns the figures of an interval that began `since` after the start.
[[nodiscard]] IntervalSummary summarize(const QueryTally &tally, Nanoseconds since);

// How a run is cut into intervals; there are none if `length` is zero.
struct IntervalPlan {
    Nanoseconds length{};
    Nanoseconds run{}; // for how long queries are due

    // Returns the number of intervals. The last one begins where no query is due any more.
    [[nodiscard]] std::size_t count() const;
};

// One sender's intervals.
class IntervalBook
{
public:
    // The plan has at least one interval.
    explicit IntervalBook(const IntervalPlan &plan);

    // Takes note of what became of a query that was sent `sent_ns` after the start. A decided query
    // has an RCODE, and a valid one an RTT. Queries come in the order in which they were sent. The
    // last interval takes what was sent behind it.
    void settle(std::int64_t sent_ns, query_state state, std::uint32_t rcode, std::uint64_t rtt);

    [[nodiscard]] const std::vector<QueryTally> &tallies() const { return tallies_; }

private:
    std::vector<QueryTally> tallies_;
    std::size_t current_ = 0;
    std::int64_t length_;
    std::int64_t end_; // of the current interval
};

} // namespace dnsgauge
