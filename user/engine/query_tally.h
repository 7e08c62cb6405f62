// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts, which can be added up, of what became of queries, in all and by interval, and of traits
// of their replies.
#pragma once

#include "engine/histogram.h"
#include "result/trial_result.h"
#include "units/rate.h"

#include "wire/query_state.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

// Queries by their state in the end.
struct QueryTally {
    std::array<std::uint64_t, QUERY_STATES> states{};
    std::array<std::uint64_t, DNS_RCODE_COUNTS> rcodes{}; // of the replies that decided their query
    std::array<std::uint64_t, DNS_RCODE_COUNTS> late_rcodes{}; // of the late ones among these
    RttTally rtts;                                             // of the valid ones

    void add(const QueryTally &other);
};

// Returns the classes of the queries, all of which were sent.
[[nodiscard]] QueryCounts query_counts(const QueryTally &tally);

// The replies that decided their query. Sizes count the DNS message.
struct TraitsTally {
    static constexpr std::uint64_t size_step = 16; // octets: sizes[n] counts 16 n to 16 n + 15

    std::vector<std::uint64_t> sizes{};
    std::uint64_t octets = 0; // of all together
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint64_t largest = 0;
#define TRAIT_COUNT(key) std::uint64_t key = 0;
    REPLY_TRAITS(TRAIT_COUNT)
#undef TRAIT_COUNT

    void add(const TraitsTally &other);
    // Counts a reply of `size` octets, with these flags in its header, in whose records `found` was
    // found (wire/records.h).
    void count(std::uint64_t size, std::uint32_t flags, bool has_question, std::uint64_t found);
};

// Returns the traits of the replies, without those that depend on the packets' headers.
[[nodiscard]] ReplyTraits summarize(const TraitsTally &tally);

// The counts of a run's replies.
struct ReplyTally {
    QueryTally queries; // the queries that got a reply
    StrayCounts strays;
    std::uint64_t passed = 0; // packets that the engine left to the kernel, strays included
    TraitsTally traits;

    void add(const ReplyTally &other);
};

// Adds `more` to `sums`, one by one.
void add(std::vector<std::uint64_t> &sums, const std::vector<std::uint64_t> &more);
void add(std::vector<QueryTally> &sums, const std::vector<QueryTally> &more);

// Returns the figures of an interval that began `since` after the start.
[[nodiscard]] IntervalSummary summarize(const QueryTally &tally, Nanoseconds since);

// How a run is cut into intervals; there are none if `length` is zero.
struct IntervalPlan {
    Nanoseconds length{};
    Nanoseconds run{}; // for how long queries are due

    // Returns the number of intervals. The last one begins when the last query has been due.
    [[nodiscard]] std::size_t count() const;
};

// One sender's intervals.
class IntervalBook
{
public:
    // The plan has at least one interval.
    explicit IntervalBook(const IntervalPlan &plan);

    // Takes note of what became of a query that was sent `sent_ns` after the start. A decided query
    // has an RCODE, and a valid one an RTT. Queries come in the order in which they were sent.
    // Queries that were sent after the last interval count in it.
    void settle(std::int64_t sent_ns, query_state state, std::uint32_t rcode, std::uint64_t rtt);

    [[nodiscard]] const std::vector<QueryTally> &tallies() const { return tallies_; }

private:
    std::vector<QueryTally> tallies_;
    std::size_t current_ = 0;
    std::int64_t length_;
    std::int64_t end_; // of the current interval
};

} // namespace dnsgauge
