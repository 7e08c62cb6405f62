// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A replay, which plays captures to a resolver in several runs: its options, its runs, and the
// forms of its result.
#pragma once

#include "result/series_result.h"
#include "series/kind.h"
#include "stats/summary.h"
#include "text/table.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// This text stands in every form of a replay's result.
inline constexpr const char *for_comparison_alone =
    "for comparison alone: the figures hold for this set-up, these captures and the time of the "
    "runs, because the servers that a resolver asks change";

// Returns `whole` times `part` / `all`: a share if `whole` is 1, percent if it is 100. Returns 0 if
// `all` is 0.
[[nodiscard]] inline double share_of(double whole, std::uint64_t part, std::uint64_t all)
{
    return all == 0 ? 0 : whole * static_cast<double>(part) / static_cast<double>(all);
}

struct IntervalBand {
    Nanoseconds since{};
    std::optional<Band> answered_percent{}; // missing if no run sent a query in this interval
    std::map<std::string, Band> rcodes{};   // replies of a run to queries of this interval
};

struct CurveBand {
    double share = 0;
    Band rtt{}; // nanoseconds
};

struct ReplayBands {
    std::optional<Band> answered_percent{};      // missing if there is no run
    std::map<std::string, Band> rcode_percent{}; // of a run's replies
    std::vector<IntervalBand> intervals{};
    std::vector<CurveBand> curve{}; // the points that all runs have
};

// Returns the bands over these runs. An interval's band has the runs that sent a query in it. An
// RCODE that a run did not see counts as 0 replies.
[[nodiscard]] ReplayBands bands_of(std::span<const TrialSummary> runs);

// Its rows are the runs, without invalid trials.
struct ReplayResult : SeriesResult {
    std::vector<std::string> files;
    std::string capture_server; // only queries to it are played; empty means any server
    std::uint64_t played = 0;   // captures, or slices of captures, at once
    // The slices that the captures are cut into; 0 means `played`. If there are more than `played`,
    // each run begins with another slice than the previous run.
    std::uint32_t slices = 0;
    double speed = 1;
    std::uint64_t clients = 0;
    std::uint64_t queries = 0; // of a run; of the first one if runs play different slices
    std::uint64_t packets = 0; // in the captures, DNS or not; 0 if unknown
    // Queries and packets of the captures that are not sent, by reason.
    std::vector<std::pair<const char *, std::uint64_t>> left_out{};
    std::uint64_t doubled = 0; // queries that are in the captures twice within a millisecond
    unsigned runs_wanted = 0;
    Nanoseconds interval{};
    Nanoseconds since{};      // the beginning of the later part
    std::string before_trial; // the command; empty if there was none

    ReplayBands bands;
};

struct RunsPlan {
    unsigned runs = 9;            // paper 004's
    unsigned invalid_retries = 2; // times in a row that an invalid run is made again
    // The average rates of the runs, from the first run on. After the last rate the first follows.
    std::vector<Rate> rates{};
};

// Returns the slice of the captures with which a run begins; `run` counts from 1. `slices` runs in
// a row begin with `slices` different slices. The slices of neighbouring runs lie far apart.
[[nodiscard]] std::uint32_t first_slice(unsigned run, std::uint32_t slices);

// Keeps the first `runs` runs, and removes the others.
void keep_runs(ReplayResult &result, unsigned runs);

// Makes the replay by `run`: see run_series(). The result has all runs of the journal, even if the
// plan has fewer.
[[nodiscard]] ReplayResult run_replay(const RunsPlan &plan, Journal &journal,
                                      const TrialRunner &run);

// Its defaults are from paper 004.
struct ReplayRequest : SeriesRequest {
    ReplayRequest();

    RunsPlan runs;
    std::optional<TrialPlan> loaded; // `trial` with what its captures hold: load_captures()
};

// Returns the options that decide the replay.
[[nodiscard]] Options options_of(ReplayRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other.
void complete(ReplayRequest &request);

// Reads the captures. Throws SetupError if they hold no query to send, or are too short for the
// load factor and the duration.
void load_captures(ReplayRequest &request);

// Returns whether each run plays other slices of the captures than the previous run.
[[nodiscard]] bool plays_others(const ReplayRequest &request);

// Returns the duration of a run: the duration asked for, or less if the captures end early.
[[nodiscard]] Nanoseconds duration_of(const ReplayRequest &request);

// Looks for the self-test that covers the busiest second of the captures, and for the certificate.
// Throws SetupError if there is no such self-test, unless the request has --beyond-selftest.
void require_selftest(ReplayRequest &request);

// Returns the first line of the replay's journal: the Tester's set-up as it is now, every option
// that results depend on, and the checksums of the captures. Throws SetupError.
[[nodiscard]] nlohmann::ordered_json journal_header(const ReplayRequest &request);

// Returns the caveats that are known before the runs.
[[nodiscard]] Caveats caveats_of(const ReplayRequest &request);

// Returns what users should know before the runs.
[[nodiscard]] std::vector<std::string> notes_on(const ReplayRequest &request);

// Makes the runs that the journal lacks, until `stop` is set, and shows how far the replay is. The
// request's captures are loaded. Throws SetupError.
[[nodiscard]] ReplayResult make_series(const ReplayRequest &request, Journal &journal,
                                       const std::atomic<bool> &stop);

// Returns the command for replays, and for searches of the highest load factor.
[[nodiscard]] Command replay_command(std::shared_ptr<Testers> testers);

void fields(Fields &row, ReplayResult &result);

// Returns a table with a row for each run, and with the least, the median, the mean and the
// greatest value of each figure.
[[nodiscard]] std::string to_text(const ReplayResult &result, TableForm form = TableForm::text);

// Return CSV: replay_intervals_csv() the response rate and the replies by RCODE of each interval,
// replay_curve_csv() the logarithmic percentile histogram of the later part. Rows are for each run,
// by its number, and for the band over all runs: "min", "median", "mean" and "max".
[[nodiscard]] std::string replay_intervals_csv(const ReplayResult &result);
[[nodiscard]] std::string replay_curve_csv(const ReplayResult &result);

} // namespace dnsgauge
