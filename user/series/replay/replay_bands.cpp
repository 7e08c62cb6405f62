// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/replay/replay_result.h"

#include <algorithm>
#include <set>

namespace dnsgauge
{

namespace
{

std::uint64_t count_of(const RcodeCounts &counts, const std::string &rcode)
{
    const auto found = counts.find(rcode);
    return found == counts.end() ? 0 : found->second;
}

// A run's counts of replies.
using Counts = std::vector<const RcodeCounts *>;

std::set<std::string> rcodes_in(const Counts &runs)
{
    std::set<std::string> rcodes;
    for (const RcodeCounts *counts : runs)
        for (const auto &[rcode, count] : *counts)
            rcodes.insert(rcode);
    return rcodes;
}

std::map<std::string, Band>
rcode_bands(const Counts &runs, double (*figure)(const RcodeCounts &counts, std::uint64_t count))
{
    std::map<std::string, Band> bands;
    for (const std::string &rcode : rcodes_in(runs)) {
        std::vector<double> values;
        for (const RcodeCounts *counts : runs)
            values.push_back(figure(*counts, count_of(*counts, rcode)));
        bands[rcode] = *band_of(values);
    }
    return bands;
}

double percent_of_replies(const RcodeCounts &counts, std::uint64_t count)
{
    std::uint64_t all = 0;
    for (const auto &[rcode, replies] : counts)
        all += replies;
    return share_of(100, count, all);
}

double replies(const RcodeCounts & /*all*/, std::uint64_t count)
{
    return static_cast<double>(count);
}

IntervalBand interval_band(std::span<const ReplayRun> runs, std::size_t at, Nanoseconds since)
{
    std::vector<double> answered;
    Counts counts;
    for (const ReplayRun &run : runs) {
        if (at >= run.intervals.size() || run.intervals[at].sent == 0)
            continue;
        const ReplayInterval &interval = run.intervals[at];
        answered.push_back(share_of(100, interval.answered, interval.sent));
        counts.push_back(&interval.rcodes);
    }
    IntervalBand band{.since = since};
    band.answered_percent = band_of(answered);
    band.rcodes = rcode_bands(counts, replies);
    return band;
}

std::vector<IntervalBand> interval_bands(std::span<const ReplayRun> runs)
{
    const auto longest = std::ranges::max_element(
        runs, {}, [](const ReplayRun &run) { return run.intervals.size(); });
    std::vector<IntervalBand> bands;
    for (std::size_t at = 0; at < longest->intervals.size(); at++)
        bands.push_back(interval_band(runs, at, longest->intervals[at].since));
    return bands;
}

std::vector<CurveBand> curve_bands(std::span<const ReplayRun> runs)
{
    const auto shortest = std::ranges::min_element(
        runs, {}, [](const ReplayRun &run) { return run.later.curve.points.size(); });
    std::vector<CurveBand> bands;
    for (std::size_t at = 0; at < shortest->later.curve.points.size(); at++) {
        std::vector<double> rtts;
        for (const ReplayRun &run : runs)
            rtts.push_back(static_cast<double>(run.later.curve.points[at].rtt));
        bands.push_back({.share = shortest->later.curve.points[at].share, .rtt = *band_of(rtts)});
    }
    return bands;
}

} // namespace

ReplayBands bands_of(std::span<const ReplayRun> runs)
{
    ReplayBands bands;
    if (runs.empty())
        return bands;
    std::vector<double> answered;
    Counts counts;
    for (const ReplayRun &run : runs) {
        answered.push_back(share_of(100, run.answered, run.sent));
        counts.push_back(&run.rcodes);
    }
    bands.answered_percent = band_of(answered);
    bands.rcode_percent = rcode_bands(counts, percent_of_replies);
    bands.intervals = interval_bands(runs);
    bands.curve = curve_bands(runs);
    return bands;
}

} // namespace dnsgauge
