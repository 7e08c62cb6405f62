// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the runs of a replay, and records every one in a journal.
#pragma once

#include "record/journal.h"
#include "result/replay_result.h"
#include "search/journalled_trials.h"

#include <cstdint>
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

// Makes the runs from where the journal ends, until all are made or something ends them. Records
// each run in the journal before the next one begins, and makes no recorded run again. Runs of the
// journal beyond those of the plan have their part in the result, too. Throws SetupError if a
// record of the journal does not belong to this replay, and what `run` or the journal throw.
[[nodiscard]] ReplayResult run_replay(const RunsPlan &plan, Journal &journal,
                                      const TrialRunner &run);

} // namespace dnsgauge
