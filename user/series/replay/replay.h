// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A replay, runs of captures through a resolver: its options, its runs, and its result as JSON.
#pragma once

#include "series/replay/replay_result.h"
#include "series/series_request.h"
#include "series/series_run.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct RunsPlan {
    unsigned runs = 9;            // paper 004's
    unsigned invalid_retries = 2; // times in a row that an invalid run is made again
    // The average rate of what each run plays: of the first one on, and then over again.
    std::vector<Rate> rates{};
};

// Returns the slice of the captures with which a run, counted from 1, begins. Each `slices` runs in
// turn begin with each slice once, and the beginnings of any runs in turn lie wide apart.
[[nodiscard]] std::uint32_t first_slice(unsigned run, std::uint32_t slices);

// Leaves the first `runs` runs of a replay that has more.
void keep_runs(ReplayResult &result, unsigned runs);

// Makes the replay by `run`: run_series(). Runs of the journal beyond those of the plan have their
// part in the result, too.
[[nodiscard]] ReplayResult run_replay(const RunsPlan &plan, Journal &journal,
                                      const TrialRunner &run);

struct ReplayRequest : SeriesRequest {
    RunsPlan runs;
    std::optional<TrialPlan> loaded; // `trial` with what its captures hold: load_captures()
};

// Returns a request with the defaults of all options: those of paper 004.
[[nodiscard]] ReplayRequest usual_replay();

// Returns the options that decide the replay.
[[nodiscard]] Options replay_options(ReplayRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other.
void complete(ReplayRequest &request);

// Reads the captures. Throws SetupError if they hold no query to send, or less than the load factor
// and the duration ask for.
void load_captures(ReplayRequest &request);

// Returns whether each run plays other slices of the captures than the run before.
[[nodiscard]] bool plays_others(const ReplayRequest &request);

// Returns the duration of a run: what was asked for, unless the captures end early.
[[nodiscard]] Nanoseconds duration_of(const ReplayRequest &request);

// Looks for the self-test that covers the busiest second of the captures, and for the certificate.
// Throws SetupError if there is no such self-test, unless the request says --beyond-selftest.
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

// Returns the object that schemas/replay.schema.json describes. `header` is the header of the
// replay's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const ReplayResult &result,
                                             const nlohmann::ordered_json &header);

} // namespace dnsgauge
