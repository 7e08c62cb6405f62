// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/attribution.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

// A stall, and how far it reaches behind its end.
struct Reach {
    Stall stall;
    Nanoseconds begin{};
    Nanoseconds costs_until{}; // the end of the stall, or of the last query that failed behind it
    bool is_costly = false;

    // Returns whether a query that failed in the bin from `since` on may have done so for the sake
    // of this stall.
    [[nodiscard]] bool has(Nanoseconds since, Nanoseconds width) const
    {
        return since + width > begin && since <= last();
    }
    [[nodiscard]] Nanoseconds last() const
    {
        return std::min(costs_until + stall.longest, stall.until + backlog_factor * stall.longest);
    }
};

void add(StallGroup &group, const Stall &stall)
{
    group.stalls += stall.stalls;
    group.longest = std::max(group.longest, stall.longest);
    group.largest_burst = std::max(group.largest_burst, stall.burst);
}

StallCosts &costs_of(StallSummary &summary, Stalled who)
{
    switch (who) {
    case Stalled::tester:
        return summary.tester;
    case Stalled::server:
        break;
    }
    return summary.server;
}

// Returns the stall in whose reach the bin is: the Tester's before the server's, and then the
// latest. Returns nullptr where there is none.
Reach *reached_by(const std::vector<Reach *> &open, Nanoseconds since, Nanoseconds width)
{
    Reach *found = nullptr;
    for (Reach *each : open)
        if (each->has(since, width) && (found == nullptr || each->stall.who == found->stall.who ||
                                        each->stall.who == Stalled::tester))
            found = each;
    return found;
}

void take(StallSummary &summary, Reach &reach, const MissBin &bin, Nanoseconds end)
{
    StallCosts &costs = costs_of(summary, reach.stall.who);
    costs.lost += bin.lost;
    costs.late += bin.late;
    costs.reach = std::max(costs.reach, end - reach.stall.until);
    if (!std::exchange(reach.is_costly, true))
        add(costs.costly, reach.stall);
}

// Returns how many queries were due in any of these times, which stand in the order of their
// beginnings.
std::uint64_t due_in(const std::vector<Reach> &reaches,
                     const std::function<std::uint64_t(Nanoseconds)> &due_before)
{
    std::uint64_t queries = 0;
    Nanoseconds counted{};
    for (const Reach &each : reaches) {
        const Nanoseconds from = std::max(each.begin, counted);
        if (each.costs_until <= from)
            continue;
        queries += due_before(each.costs_until) - due_before(from);
        counted = each.costs_until;
    }
    return queries;
}

} // namespace

StallSummary attribute(std::vector<Stall> stalls, const MissTally &misses, Nanoseconds limit,
                       const std::function<std::uint64_t(Nanoseconds)> &due_before)
{
    StallSummary summary{.burst_allowed = burst_allowed, .limit = limit};
    std::erase_if(stalls, [limit](const Stall &stall) { return stall.longest <= limit; });
    std::ranges::stable_sort(stalls, {}, &Stall::since);
    const Nanoseconds width = misses.width();
    std::vector<Reach> reaches;
    reaches.reserve(stalls.size());
    for (const Stall &stall : stalls) {
        add(costs_of(summary, stall.who).all, stall);
        // Queries of the batch before may have waited, too.
        reaches.push_back({.stall = stall,
                           .begin = std::max(stall.since - width, Nanoseconds{}),
                           .costs_until = stall.until});
    }
    std::vector<Reach *> open;
    std::size_t next = 0;
    for (const MissBin &bin : misses.bins) {
        const Nanoseconds since = misses.since(bin);
        while (next < reaches.size() && reaches[next].begin < since + width)
            open.push_back(&reaches[next++]);
        std::erase_if(open, [since](const Reach *each) { return each->last() < since; });
        if (Reach *reach = reached_by(open, since, width)) {
            take(summary, *reach, bin, since + width);
            // What one stall's backlog costs may be another one's as well.
            for (Reach *each : open)
                each->costs_until = std::max(each->costs_until, since + width);
        }
    }
    summary.queries = due_in(reaches, due_before);
    return summary;
}

} // namespace dnsgauge
