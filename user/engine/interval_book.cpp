// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/interval_book.h"

namespace dnsgauge
{

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
