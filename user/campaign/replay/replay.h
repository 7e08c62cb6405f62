// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the runs of a replay, and records every one in a journal.
#pragma once

#include "record/journal.h"
#include "result/replay_result.h"
#include "search/journalled_trials.h"

namespace dnsgauge
{

struct RunsPlan {
    unsigned runs = 9;            // paper 004's
    unsigned invalid_retries = 2; // times in a row that an invalid run is made again
    Rate rate{};                  // of the captures, on average
};

// Makes the runs from where the journal ends, until all are made or something ends them. Records
// each run in the journal before the next one begins, and makes no recorded run again. Throws
// SetupError if a record of the journal does not belong to this replay, and what `run` or the
// journal throw.
[[nodiscard]] ReplayResult run_replay(const RunsPlan &plan, Journal &journal,
                                      const TrialRunner &run);

} // namespace dnsgauge
