// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Raw counts and histograms of a run, which can be added up.
//
// merge() adds up the tallies of the lanes, hosts or intervals of one schedule. summarize() makes
// the figures that do not add up, such as percentiles, from the merged tally.
#pragma once

#include "engine/cpu_share.h"
#include "engine/histogram.h"
#include "engine/miss_book.h"
#include "engine/query_tally.h"
#include "engine/stall_book.h"
#include "result/connections.h"
#include "result/quic.h"
#include "result/stalls.h"
#include "result/trial_result.h"
#include "result/window.h"
#include "units/pace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ConnectionTally {
    ConnectionCounts counts;
    RttTally handshakes; // from connect() until user space sees the connection open
    RttTally waited;     // RTTs of valid queries that waited for their connection to open
    RttTally tls_full{}; // from the open TCP connection until TLS is open, by kind of handshake
    RttTally tls_resumed{};
    RttTally keepalives{}; // idle timeouts that replies named
    std::vector<TlsSuite> tls_suites{};
    std::string tls_failure{};                            // the first one; empty if there was none
    std::map<std::string, std::uint64_t> http_statuses{}; // of responses other than 200
    std::string http_failure{};                           // the first one; empty if there was none
    QuicCounts quic{};
    Backlog backlog{};
    std::vector<Silence> silences{}; // at most silences_most of each lane

    static constexpr std::size_t silences_most = 16'384;
    // Connections of further suites count as connections of the last one.
    static constexpr std::size_t suites_most = 16;
    void add(const TlsSuite &suite);
    // Counts a handshake of TLS.
    void add_handshake(const TlsSuite &suite, bool is_resumed, std::int64_t took_ns);
    void add(const ConnectionTally &other);
};

// How many stamps of valid queries were taken.
struct StampCounts {
    std::uint64_t transmitted = 0;   // transmit stamps
    std::uint64_t received = 0;      // receive stamps
    std::uint64_t contradictory = 0; // queries whose stamps cannot be true
};

// A lane's plain figures. X gets a figure's type and name, the function that joins two lanes'
// figures, and the value at the beginning. A summary's member of the same name gets the figure.
#define LANE_FIGURES(X)                                                                            \
    X(std::uint32_t, queue, keep) /* transmit queue */                                             \
    X(unsigned, cpu, keep)                                                                         \
    X(std::uint64_t, handed_over, std::plus())                                                     \
    X(std::uint64_t, unsent, std::plus())     /* of handed_over */                                 \
    X(std::uint64_t, not_logged, std::plus()) /* see RunFaults */                                  \
    X(std::uint64_t, kicks, std::plus())                                                           \
    X(Nanoseconds, last_sent, std::ranges::max) /* from the start of the schedule */               \
    X(Nanoseconds, overrun, std::ranges::max)   /* how late the last query was handed over */      \
    X(Nanoseconds, driver_lag, std::ranges::max)                                                   \
    X(Nanoseconds, ran, std::plus())             /* the sender's thread */                         \
    X(Nanoseconds, waited, std::plus())          /* the thread, for its CPU, ready to run */       \
    X(int, nice, std::ranges::max, best_nice)    /* of the sender's thread */                      \
    X(bool, is_pinned, std::logical_and(), true) /* the thread ran on `cpu` alone */               \
    X(bool, link_failed, std::logical_or())

// What one lane did: a sender with its transmit queue.
struct LaneTally {
    std::uint32_t share = 0; // of the whole schedule
#define FIGURE(type, key, join, ...) type key{__VA_ARGS__};
    LANE_FIGURES(FIGURE)
#undef FIGURE
    Histogram lateness;
    std::vector<std::uint64_t> bursts; // [n]: batches of n queries
    StampCounts stamps;
    RttTally hardware_rtts;
    std::vector<QueryTally> intervals;  // empty if not asked for
    std::vector<Stall> stalls;          // of the sender
    std::uint64_t forgotten_stalls = 0; // see StallSummary
    MissTally misses;
    std::vector<std::uint64_t> lost_by_port{}; // of the lane's source ports; empty if not counted
    ConnectionTally connections{};             // all zeros if the engine has no connections
    WindowTally window{};                      // all zeros at another pace
};

struct Tally {
    ReplyTally replies;
    std::vector<LaneTally> lanes{}; // one for each share, ascending
    bool log_failed = false;        // see RunFaults
};

// Adds `more` to `sums`, by the kinds' names.
void add(std::vector<OwnLoss> &sums, const std::vector<OwnLoss> &more);

// Returns the sum of both tallies, in which lanes of the same share are one lane. Tallies may be
// merged in any order and in any groups.
[[nodiscard]] Tally merge(const Tally &one, const Tally &other);

// The part of a trial's result that follows from the trial's tally.
struct TallySummary : TrialFigures {
    StampCounts stamps;
    std::vector<QueryTally> intervals; // of all lanes
    MissTally misses;
    ConnectionTally connections; // of all lanes
    RunFaults faults;            // as far as the lanes and the query log tell
};

// Returns the figures of a tally. `planned` queries were to be sent by the schedule. In a window a
// query that is not valid had its place for `timeout`.
[[nodiscard]] TallySummary summarize(const Tally &tally, const SchedulePlan &schedule,
                                     std::uint64_t planned, Nanoseconds timeout = {});

} // namespace dnsgauge
