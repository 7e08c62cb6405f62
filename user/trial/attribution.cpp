// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/attribution.h"

#include "system/setup_error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

namespace dnsgauge
{

namespace
{

using DueBefore = std::function<std::uint64_t(Nanoseconds)>;

// A stall, and how long after its end queries count as its cost.
struct Reach {
    Stall stall;
    Nanoseconds begin{};
    Nanoseconds costs_until{};  // the end of the stall, or of the last query that failed after it
    Nanoseconds silent_until{}; // the end of the last connection that went silent
    bool is_costly = false;
    bool is_machines = false; // Tester and server stood still together

    // Returns for how long after the stall a query's failure counts as the stall's. Each further
    // failure extends the reach.
    [[nodiscard]] Nanoseconds tail() const { return std::max(stall.longest, backlog_least); }
    [[nodiscard]] Nanoseconds last() const
    {
        return std::max(
            silent_until,
            std::min(costs_until + tail(),
                     stall.until + std::max(backlog_factor * stall.longest, backlog_least)));
    }
};

// Finds the reach for one bin of time after another. Reaches are in the order of their beginnings.
class ReachWalk
{
public:
    // Lets each reach begin earlier by `earlier`.
    explicit ReachWalk(std::vector<Reach *> reaches, Nanoseconds earlier = {})
        : reaches_(std::move(reaches)), earlier_(earlier)
    {
    }

    // Returns a reach that touches the bin of `width` from `since` on; null if there is none.
    // Prefers the Tester's reaches to the server's, and then later ones. `since` grows from call to
    // call.
    Reach *find(Nanoseconds since, Nanoseconds width)
    {
        while (next_ < reaches_.size() && reaches_[next_]->begin - earlier_ < since + width)
            open_.push_back(reaches_[next_++]);
        std::erase_if(open_, [since](const Reach *each) { return each->last() < since; });
        Reach *found = nullptr;
        for (Reach *each : open_)
            if (found == nullptr || each->stall.who == found->stall.who ||
                each->stall.who == Stalled::tester)
                found = each;
        return found;
    }
    // Extends all reaches that touch the last bin at least to `end`: several stalls may have caused
    // a backlog.
    void extend(Nanoseconds end)
    {
        for (Reach *each : open_)
            each->costs_until = std::max(each->costs_until, end);
    }

private:
    std::vector<Reach *> reaches_;
    Nanoseconds earlier_;
    std::size_t next_ = 0;
    std::vector<Reach *> open_;
};

// Returns how many queries are overdue at the end of the stall.
std::uint64_t burst_of(const Stall &stall, Nanoseconds limit)
{
    if (stall.who == Stalled::tester)
        return stall.burst;
    // The queries that become due in the time.
    const std::int64_t least = std::max(limit.count(), std::int64_t{1});
    return (static_cast<std::uint64_t>(stall.longest.count()) * burst_allowed +
            static_cast<std::uint64_t>(least) - 1) /
           static_cast<std::uint64_t>(least);
}

// Returns when most queries were overdue.
Nanoseconds peak_of(const Stall &stall)
{
    return std::min(stall.since + stall.longest, stall.until);
}

// Returns the part of the stall's burst that was overdue at `time`.
double overdue_at(const Stall &stall, Nanoseconds time, Nanoseconds limit)
{
    const auto burst = static_cast<double>(burst_of(stall, limit));
    if (time >= peak_of(stall) || stall.longest == Nanoseconds{})
        return burst;
    return burst * static_cast<double>((time - stall.since).count()) /
           static_cast<double>(stall.longest.count());
}

// Returns the stalls that cause a burst, alone or together with simultaneous ones. `stalls` are in
// the order of their beginnings.
std::vector<Stall> bursts_among(const std::vector<Stall> &stalls, Nanoseconds limit)
{
    std::vector<std::size_t> by_peak(stalls.size());
    std::iota(by_peak.begin(), by_peak.end(), std::size_t{0});
    std::ranges::stable_sort(by_peak, {}, [&](std::size_t i) { return peak_of(stalls[i]); });
    std::vector<bool> is_burst(stalls.size());
    std::vector<std::size_t> open;
    std::size_t next = 0;
    for (const std::size_t each : by_peak) {
        const Nanoseconds peak = peak_of(stalls[each]);
        while (next < stalls.size() && stalls[next].since <= peak)
            open.push_back(next++);
        std::erase_if(open, [&](std::size_t i) { return stalls[i].until < peak; });
        double overdue = 0;
        for (const std::size_t i : open)
            overdue += overdue_at(stalls[i], peak, limit);
        if (overdue > static_cast<double>(burst_allowed))
            for (const std::size_t i : open)
                is_burst[i] = true;
    }
    std::vector<Stall> bursts;
    for (std::size_t i = 0; i < stalls.size(); i++)
        if (is_burst[i])
            bursts.push_back(stalls[i]);
    return bursts;
}

// Marks the reaches of stalls in which Tester and server stood still together.
void mark_machines(std::vector<Reach> &reaches)
{
    std::vector<Reach *> open;
    for (Reach &reach : reaches) {
        std::erase_if(open,
                      [&](const Reach *each) { return each->stall.until < reach.stall.since; });
        for (Reach *each : open)
            if (each->stall.who != reach.stall.who)
                each->is_machines = reach.is_machines = true;
        open.push_back(&reach);
    }
}

// Extends each reach to the end of the connections that went silent in it. Such an extension does
// not make further silences count.
void take_silences(const std::vector<Reach *> &reaches, std::vector<Silence> silences)
{
    std::ranges::stable_sort(silences, {}, &Silence::since);
    std::vector<std::pair<Reach *, Nanoseconds>> found;
    ReachWalk walk(reaches);
    for (const Silence &silence : silences)
        if (Reach *reach = walk.find(silence.since, backlog_least))
            found.emplace_back(reach, silence.until);
    for (const auto &[reach, until] : found)
        reach->silent_until = std::max(reach->silent_until, until);
}

void add(StallGroup &group, const Stall &stall)
{
    group.stalls += stall.stalls;
    group.longest = std::max(group.longest, stall.longest);
    group.largest_burst = std::max(group.largest_burst, stall.burst);
}

StallCosts &costs_of(StallSummary &summary, Stalled who)
{
    return who == Stalled::tester ? summary.tester : summary.server;
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

// Returns how many queries were due in any of the reaches, which are in the order of their
// beginnings. `end_of` returns the end of a reach.
std::uint64_t due_in(const std::vector<Reach> &reaches, const DueBefore &due_before,
                     const auto &end_of)
{
    std::uint64_t queries = 0;
    Nanoseconds counted{};
    for (const Reach &each : reaches) {
        const Nanoseconds from = std::max(each.begin, counted);
        const Nanoseconds end = end_of(each);
        if (end <= from)
            continue;
        queries += due_before(end) - due_before(from);
        counted = end;
    }
    return queries;
}

// Counts each query that failed in a stall's reach as that stall's cost. Returns the other failed
// queries.
std::vector<MissBin> take_sent(StallSummary &summary, const std::vector<Reach *> &reaches,
                               const MissTally &misses)
{
    std::vector<MissBin> others;
    ReachWalk walk(reaches);
    for (const MissBin &bin : misses.bins) {
        const Nanoseconds since = misses.since(bin);
        const Nanoseconds end = since + misses.width();
        if (Reach *reach = walk.find(since, misses.width())) {
            take(summary, *reach, bin, end);
            walk.extend(end);
        } else {
            others.push_back(bin);
        }
    }
    return others;
}

// Counts two more kinds of failed queries as a stall's cost: late queries whose timeout ended in
// its reach, and queries that were outstanding while the whole machine stood still.
void take_outstanding(StallSummary &summary, const std::vector<Reach *> &reaches,
                      const std::vector<MissBin> &bins, const MissTally &misses,
                      Nanoseconds timeout)
{
    std::vector<Reach *> machines = reaches;
    std::erase_if(machines, [](const Reach *each) { return !each->is_machines; });
    ReachWalk ended(reaches);
    ReachWalk outstanding(machines, timeout);
    for (const MissBin &bin : bins) {
        const Nanoseconds since = misses.since(bin);
        const Nanoseconds end = since + misses.width();
        Reach *const whole = outstanding.find(since, misses.width());
        Reach *const late = ended.find(since + timeout, misses.width());
        if (whole != nullptr)
            take(summary, *whole, bin, end);
        else if (late != nullptr && bin.late != 0)
            take(summary, *late, {.number = bin.number, .late = bin.late}, end);
    }
}

// Counts the queries between stalls.
void count_between(StallSummary &summary, const std::vector<Reach> &reaches,
                   const MissTally &misses, Nanoseconds duration, const DueBefore &due_before)
{
    auto bin = misses.bins.begin();
    const auto count = [&](Nanoseconds from, Nanoseconds to, DueQueries &part) {
        part.queries += due_before(to) - due_before(from);
        while (bin != misses.bins.end() && misses.since(*bin) < from)
            bin++;
        for (; bin != misses.bins.end() && misses.since(*bin) < to; bin++)
            part.failed += bin->lost + bin->late;
    };
    Nanoseconds from{};
    const auto count_until = [&](Nanoseconds to) {
        if (to <= from)
            return;
        // No stall comes before the first time, so all of it counts as a second half.
        const Nanoseconds half = from == Nanoseconds{} ? from : from + (to - from) / 2;
        count(from, half, summary.soon);
        count(half, to, summary.later);
    };
    for (const Reach &each : reaches) {
        count_until(std::min(each.begin, duration));
        from = std::max({from, each.stall.until + each.tail(), each.silent_until});
    }
    count_until(duration);
}

Nanoseconds time_of(__u64 nanoseconds)
{
    return Nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

} // namespace

StallSummary attribute(std::vector<Stall> stalls, const MissTally &misses, const StallTerms &terms,
                       const DueBefore &due_before, std::vector<Silence> silences)
{
    StallSummary summary{.burst_allowed = burst_allowed, .limit = terms.limit};
    std::ranges::stable_sort(stalls, {}, &Stall::since);
    std::vector<Reach> reaches;
    for (const Stall &stall : bursts_among(stalls, terms.limit)) {
        add(costs_of(summary, stall.who).all, stall);
        // Queries of the previous batch may also have waited.
        reaches.push_back({.stall = stall,
                           .begin = std::max(stall.since - misses.width(), Nanoseconds{}),
                           .costs_until = stall.until});
    }
    mark_machines(reaches);
    std::vector<Reach *> all;
    all.reserve(reaches.size());
    for (Reach &reach : reaches)
        all.push_back(&reach);
    take_silences(all, std::move(silences));
    take_outstanding(summary, all, take_sent(summary, all, misses), misses, terms.timeout);
    summary.queries =
        due_in(reaches, due_before, [](const Reach &each) { return each.costs_until; });
    for (const Stalled who : {Stalled::tester, Stalled::server})
        summary.delayed += due_in(reaches, due_before, [who](const Reach &each) {
            return each.stall.who == who ? each.stall.until : each.begin;
        });
    count_between(summary, reaches, misses, terms.duration, due_before);
    return summary;
}

std::vector<Stall> server_stalls(const std::vector<absence> &absences, Nanoseconds start)
{
    std::vector<Stall> stalls;
    for (const absence &each : absences)
        if (const Nanoseconds until = time_of(each.end_ns) - start; until > Nanoseconds{})
            stalls.push_back({.who = Stalled::server,
                              .since = time_of(each.begin_ns) - start,
                              .until = until,
                              .longest = time_of(each.away_ns)});
    std::ranges::stable_sort(stalls, {}, &Stall::since);
    return stalls;
}

std::vector<Stall> unite_overlapping(std::vector<Stall> stalls)
{
    std::ranges::stable_sort(stalls, {}, &Stall::since);
    std::vector<Stall> united;
    for (const Stall &each : stalls) {
        if (united.empty() || each.since > united.back().until) {
            united.push_back(each);
            continue;
        }
        Stall &last = united.back();
        last.until = std::max(last.until, each.until);
        last.longest = std::max(last.longest, each.longest);
    }
    return united;
}

void take_longest(std::vector<CpuUse> &cpus, const std::map<unsigned, absence> &longest)
{
    for (CpuUse &use : cpus) {
        const auto found = longest.find(use.cpu);
        if (found == longest.end() || use.server_ran + use.server_waited == Nanoseconds{})
            continue;
        const absence &one = found->second;
        use.absence = {.longest = time_of(one.away_ns),
                       .process = static_cast<int>(one.process),
                       .name = one_line({std::begin(one.name), std::ranges::find(one.name, '\0')})};
    }
}

} // namespace dnsgauge
