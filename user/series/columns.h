// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The columns in which a series tells of its trials, and the notes below its table.
#pragma once

#include "result/series_result.h"
#include "text/columns.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the columns that all series have in JSON, and behind them `more`, which the kind adds.
[[nodiscard]] Columns<TrialSummary> trial_columns(const Columns<TrialSummary> &more = {});

// Returns how many queries of a trial were answered, or why the trial is invalid.
[[nodiscard]] std::string answered_text(const TrialResult &trial);

// Returns lines about the trials of a result. They say which Testers made the trials, through which
// interface, in which modes and from which CPUs, and what there is to know of the Tester's queues.
// Returns none if there was no trial.
[[nodiscard]] std::vector<std::string> through_lines(const TrialLog &log);

// Returns how many trials were invalid, and what became of them.
[[nodiscard]] std::string invalid_trials_text(const TrialLog &log);

// Returns the notes that stand below the table of any series: its caveats, through_lines(), and, if
// `counts_invalid`, how many trials were invalid.
[[nodiscard]] std::vector<std::string> series_notes(const SeriesResult &result,
                                                    bool counts_invalid = true);

} // namespace dnsgauge
