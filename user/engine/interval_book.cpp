// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/interval_book.h"

#include <algorithm>

namespace dnsgauge
{

void IntervalTally::add(const IntervalTally &other)
{
    for (std::size_t i = 0; i < states.size(); i++)
        states.at(i) += other.states.at(i);
    for (std::size_t i = 0; i < rcodes.size(); i++)
        rcodes.at(i) += other.rcodes.at(i);
    for (std::size_t i = 0; i < late_rcodes.size(); i++)
        late_rcodes.at(i) += other.late_rcodes.at(i);
    rtts.add(other.rtts);
}

void add(std::vector<IntervalTally> &sums, const std::vector<IntervalTally> &more)
{
    sums.resize(std::max(sums.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); i++)
        sums[i].add(more[i]);
}

IntervalSummary summarize(const IntervalTally &tally, Nanoseconds since)
{
    IntervalSummary summary;
    summary.since = since;
    for (const std::uint64_t count : tally.states)
        summary.queries.sent += count;
    summary.queries.valid = tally.states[QUERY_VALID];
    summary.queries.late = tally.states[QUERY_LATE];
    summary.queries.lost = tally.states[QUERY_OUTSTANDING];
#define TAKE_COUNT(NAME, key, label, reason, kind)                                                 \
    summary.queries.invalid.key = tally.states[QUERY_##NAME];
    INVALID_CLASSES(TAKE_COUNT)
#undef TAKE_COUNT
    summary.rcodes = tally.rcodes;
    summary.late_rcodes = tally.late_rcodes;
    summary.rtt = tally.rtts.summary();
    return summary;
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

void IntervalBook::settle(std::int64_t sent_ns, std::uint64_t word)
{
    while (sent_ns >= end_ && current_ + 1 < tallies_.size()) {
        current_++;
        end_ += length_;
    }
    IntervalTally &tally = tallies_[current_];
    const query_state state = slot_state(word);
    tally.states[state]++;
    if (state >= QUERY_VALID)
        tally.rcodes[slot_rcode(word)]++;
    if (state == QUERY_LATE)
        tally.late_rcodes[slot_rcode(word)]++;
    if (state == QUERY_VALID)
        tally.rtts.add(slot_rtt(word));
}

} // namespace dnsgauge
