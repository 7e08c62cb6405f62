// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request for a replay: the values of its options, and what follows from these values.
#pragma once

#include "options/option.h"
#include "replay/replay.h"
#include "result/caveats.h"
#include "search/series_request.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

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

} // namespace dnsgauge
