// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What runs of captures through a resolver found, and what they say together: plain values.
#pragma once

#include "result/rtt_curve.h"
#include "result/series_result.h"
#include "result/trial_result.h"
#include "stats/summary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Stands in every form of a replay's result.
inline constexpr const char *for_comparison_alone =
    "for comparison alone: the figures hold for this set-up, these captures and the time of the "
    "runs, because the servers that a resolver asks change";

// Replies by the name of their RCODE, without RCODEs that did not occur.
using RcodeCounts = std::map<std::string, std::uint64_t>;

// The queries that were sent in one interval of a run.
struct ReplayInterval {
    Nanoseconds since{}; // from the start of the run
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    RcodeCounts rcodes{};
};

// The queries of a run whose latency is told: those of its later part.
struct ReplayLatency {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::optional<std::uint64_t> rtt_p50{}; // nanoseconds; absent: no query was answered
    std::optional<std::uint64_t> rtt_p99{};
    RttCurve curve{};
};

// Returns the part of `all` that `part` is, of a scale that ends at `whole` (100: percent); 0 if
// `all` is 0.
[[nodiscard]] inline double share_of(double whole, std::uint64_t part, std::uint64_t all)
{
    return all == 0 ? 0 : whole * static_cast<double>(part) / static_cast<double>(all);
}

// A run: sent = answered + late + invalid + lost.
struct ReplayRun {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0; // as --expect has it, at or before the timeout
    std::uint64_t late = 0;
    std::uint64_t invalid = 0;
    InvalidCounts reasons{}; // of the invalid ones
    std::uint64_t lost = 0;
    RcodeCounts rcodes{};                    // of all replies, late ones and invalid ones included
    std::vector<ReplayInterval> intervals{}; // ascending
    ReplayLatency later{};
    // How late the Tester sent queries, nanoseconds.
    std::uint64_t lateness_p99 = 0;
    std::uint64_t lateness_max = 0;
};

struct IntervalBand {
    Nanoseconds since{};
    std::optional<Band> answered_percent{}; // absent: no run sent a query in this interval
    std::map<std::string, Band> rcodes{};   // replies of a run to queries of this interval
};

struct CurveBand {
    double share = 0;
    Band rtt{}; // nanoseconds
};

struct ReplayBands {
    std::optional<Band> answered_percent{};      // absent: there is no run
    std::map<std::string, Band> rcode_percent{}; // of a run's replies
    std::vector<IntervalBand> intervals{};
    std::vector<CurveBand> curve{}; // the points that all runs have
};

// Returns the bands over these runs. A run has part in the bands of the intervals in which it sent
// a query. An RCODE that a run did not see counts as 0 replies.
[[nodiscard]] ReplayBands bands_of(std::span<const ReplayRun> runs);

// Its rows are empty: it has runs instead.
struct ReplayResult : SeriesResult {
    std::vector<std::string> files;
    std::string capture_server; // whose queries are played; empty: those to any server
    std::uint64_t played = 0;   // captures, or slices of them, at once
    // Into which the captures are cut, of which a run plays `played`: others than the run before,
    // or all. 0: as many as are played.
    std::uint32_t slices = 0;
    double speed = 1;
    std::uint64_t clients = 0;
    std::uint64_t queries = 0; // of a run; where runs play other slices, of the first one
    std::uint64_t packets = 0; // in the captures, whatever they hold; 0: not known
    // Queries and packets of the captures that are not sent, by reason.
    std::vector<std::pair<const char *, std::uint64_t>> left_out{};
    std::uint64_t doubled = 0; // queries that the captures have again within a millisecond
    unsigned runs_wanted = 0;
    Nanoseconds interval{};
    Nanoseconds since{};      // the beginning of the later part
    std::string before_trial; // the command; empty: none

    std::vector<ReplayRun> runs; // without invalid trials
    ReplayBands bands;

    // Returns whether there is something to tell.
    [[nodiscard]] bool has_figures() const { return !runs.empty(); }
};

} // namespace dnsgauge
