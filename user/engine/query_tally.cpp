// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_tally.h"

#include "wire/dns.h"
#include "wire/records.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Adds the counts of `more`. `sums` has at least as many counts.
template <class Counts>
void add_each(Counts &sums, const Counts &more)
{
    for (std::size_t i = 0; i < more.size(); i++)
        sums[i] += more[i];
}

} // namespace

void add(std::vector<std::uint64_t> &sums, const std::vector<std::uint64_t> &more)
{
    sums.resize(std::max(sums.size(), more.size()));
    add_each(sums, more);
}

void add(std::vector<QueryTally> &sums, const std::vector<QueryTally> &more)
{
    sums.resize(std::max(sums.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); i++)
        sums[i].add(more[i]);
}

void QueryTally::add(const QueryTally &other)
{
    add_each(states, other.states);
    add_each(rcodes, other.rcodes);
    add_each(late_rcodes, other.late_rcodes);
    rtts.add(other.rtts);
}

QueryCounts query_counts(const QueryTally &tally)
{
    QueryCounts counts;
    for (const std::uint64_t count : tally.states)
        counts.sent += count;
    counts.valid = tally.states[QUERY_VALID];
    counts.late = tally.states[QUERY_LATE];
    counts.lost = tally.states[QUERY_OUTSTANDING];
#define TAKE_COUNT(NAME, key, label, reason, kind) counts.invalid.key = tally.states[QUERY_##NAME];
    INVALID_CLASSES(TAKE_COUNT)
#undef TAKE_COUNT
    return counts;
}

void TraitsTally::add(const TraitsTally &other)
{
    dnsgauge::add(sizes, other.sizes);
    octets += other.octets;
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
#define ADD_COUNT(key) key += other.key;
    REPLY_TRAITS(ADD_COUNT)
#undef ADD_COUNT
}

void TraitsTally::count(std::uint64_t size, std::uint32_t flags, bool has_question,
                        std::uint64_t found)
{
    if (sizes.size() <= size / size_step)
        sizes.resize(size / size_step + 1);
    sizes[size / size_step]++;
    octets += size;
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
    const auto add_if = [](std::uint64_t &sum, bool holds) { sum += holds ? 1 : 0; };
    add_if(aa, (flags & DNS_AA) != 0);
    add_if(tc, (flags & DNS_TC) != 0);
    add_if(ad, (flags & DNS_AD) != 0);
    add_if(rd, (flags & DNS_RD) != 0);
    add_if(ra, (flags & DNS_RA) != 0);
    add_if(cd, (flags & DNS_CD) != 0);
    add_if(z, (flags & DNS_Z) != 0);
    add_if(no_question, !has_question);
    add_if(whole, (found & RECORDS_WHOLE) != 0);
    add_if(rrsig, (found & RECORDS_RRSIG) != 0);
}

ReplyTraits summarize(const TraitsTally &tally)
{
    ReplyTraits replies;
    for (std::uint64_t i = 0; i < tally.sizes.size(); i++) {
        replies.count += tally.sizes[i];
        if (tally.sizes[i] != 0)
            replies.sizes.push_back({.from = i * TraitsTally::size_step,
                                     .to = (i + 1) * TraitsTally::size_step - 1,
                                     .count = tally.sizes[i]});
    }
    if (replies.count == 0)
        return replies;
    replies.smallest = tally.smallest;
    replies.largest = tally.largest;
    replies.mean_size = static_cast<double>(tally.octets) / static_cast<double>(replies.count);
#define TAKE_COUNT(key) replies.key = tally.key;
    REPLY_TRAITS(TAKE_COUNT)
#undef TAKE_COUNT
    return replies;
}

void ReplyTally::add(const ReplyTally &other)
{
    queries.add(other.queries);
    for (const StrayClass &each : stray_classes)
        strays.*each.count += other.strays.*each.count;
    passed += other.passed;
    traits.add(other.traits);
}

IntervalSummary summarize(const QueryTally &tally, Nanoseconds since)
{
    return {.since = since,
            .queries = query_counts(tally),
            .rcodes = tally.rcodes,
            .late_rcodes = tally.late_rcodes,
            .rtt = tally.rtts.summary()};
}

std::size_t IntervalPlan::count() const
{
    if (length <= Nanoseconds{})
        return 0;
    return static_cast<std::size_t>((run + length - Nanoseconds{1}) / length) + 1;
}

IntervalBook::IntervalBook(const IntervalPlan &plan)
    : tallies_(plan.count()), length_(plan.length.count()), end_(plan.length.count())
{
}

void IntervalBook::settle(std::int64_t sent_ns, query_state state, std::uint32_t rcode,
                          std::uint64_t rtt)
{
    while (sent_ns >= end_ && current_ + 1 < tallies_.size()) {
        current_++;
        end_ += length_;
    }
    QueryTally &tally = tallies_[current_];
    tally.states[state]++;
    if (state >= QUERY_VALID)
        tally.rcodes[rcode]++;
    if (state == QUERY_LATE)
        tally.late_rcodes[rcode]++;
    if (state == QUERY_VALID)
        tally.rtts.add(rtt);
}

} // namespace dnsgauge
