// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What became of queries, by the interval in which they were sent.
#pragma once

#include "engine/hardware_rtt.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include "reply_clock_abi.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

// The queries that were sent in one interval.
struct IntervalTally {
    std::array<std::uint64_t, QUERY_STATES> states{};     // by what the slots said in the end
    std::array<std::uint64_t, DNS_RCODE_COUNTS> rcodes{}; // of the replies that decided their query
    std::array<std::uint64_t, DNS_RCODE_COUNTS> late_rcodes{}; // of those among them that were late
    RttTally rtts;                                             // of the valid ones

    void add(const IntervalTally &other);
};

// Adds `more` to `sums`, interval by interval.
void add(std::vector<IntervalTally> &sums, const std::vector<IntervalTally> &more);

// Returns the figures of an interval that began `since` after the start.
[[nodiscard]] IntervalSummary summarize(const IntervalTally &tally, Nanoseconds since);

// How a run is cut into intervals; into none where `length` is zero.
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

    // Takes note of a query that was sent `sent_ns` after the start, and whose slot said `word` in
    // the end. Queries come in the order in which they were sent. The last interval takes what was
    // sent behind it.
    void settle(std::int64_t sent_ns, std::uint64_t word);

    [[nodiscard]] const std::vector<IntervalTally> &tallies() const { return tallies_; }

private:
    std::vector<IntervalTally> tallies_;
    std::size_t current_ = 0;
    std::int64_t length_;
    std::int64_t end_; // of the current interval
};

} // namespace dnsgauge
