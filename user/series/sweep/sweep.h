// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep, a response-rate curve: its options, its trials, and the forms of its result.
#pragma once

#include "series/series_request.h"
#include "series/series_run.h"
#include "series/sweep/sweep_steps.h"
#include "text/table.h"

#include <atomic>
#include <string>

namespace dnsgauge
{

struct SweepRequest : SeriesRequest {
    SweepPlan sweep;
};

// Its rows are the steps, without invalid trials.
struct SweepResult : SeriesResult {
    SweepPlan plan;
};

// Returns a request with the defaults of all options.
[[nodiscard]] SweepRequest usual_sweep();

// Returns the options that decide the sweep.
[[nodiscard]] Options sweep_options(SweepRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other.
void complete(SweepRequest &request);

// Returns the first line of the sweep's journal. Throws SetupError if there is no such interface,
// or if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SweepRequest &request);

// Makes the sweep by `run`: run_series().
[[nodiscard]] SweepResult run_sweep(const SweepPlan &plan, Journal &journal,
                                    const TrialRunner &run);

// Makes the trials that the journal lacks, until `stop` is set, and shows how far the sweep is.
// Throws SetupError.
[[nodiscard]] SweepResult make_series(const SweepRequest &request, Journal &journal,
                                      const std::atomic<bool> &stop);

// Returns the object that schemas/sweep.schema.json describes. `header` is the header of the
// sweep's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const SweepResult &result,
                                             const nlohmann::ordered_json &header);

// Returns a row for each step. In CSV the columns have the names of the members of a step in JSON.
[[nodiscard]] std::string to_text(const SweepResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
