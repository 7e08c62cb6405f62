// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What became of queries, and what their replies were like: counts that add up.
#pragma once

#include "engine/rtt_tally.h"
#include "result/trial_result.h"

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

// Returns what the replies were like. What depends on the packets' headers is left out.
[[nodiscard]] ReplyTraits summarize(const TraitsTally &tally);

// What the replies of a run told.
struct ReplyTally {
    QueryTally queries; // the queries that got a reply
    StrayCounts strays;
    std::uint64_t passed = 0; // packets that the engine left to the kernel, strays too
    TraitsTally traits;

    void add(const ReplyTally &other);
};

// Adds `more` to `sums`, one by one.
void add(std::vector<std::uint64_t> &sums, const std::vector<std::uint64_t> &more);
void add(std::vector<QueryTally> &sums, const std::vector<QueryTally> &more);

} // namespace dnsgauge
