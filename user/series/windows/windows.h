// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep whose steps are windows of open queries, closed loops: its options, its trials, its knee,
// and the forms of its result.
#pragma once

#include "series/columns.h"
#include "series/journalled_trials.h"
#include "series/series_request.h"
#include "series/series_run.h"
#include "stats/knee.h"
#include "text/table.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

struct WindowsPlan {
    std::vector<std::uint64_t> windows; // ascending: the queries that each sender keeps open
    unsigned repeat = 1;
    unsigned invalid_retries = 10; // times in a row that an invalid trial is made again
};

struct WindowsRequest : SeriesRequest {
    WindowsPlan plan;
};

// Its rows are the steps, without invalid trials.
struct WindowsResult : SeriesResult {
    WindowsPlan plan;
    // The doubts that the steps' trials have about their windows, as a reader may know them.
    std::vector<std::string> step_doubts{};

    // Returns the knee of the repetitions that are complete.
    [[nodiscard]] Knee knee() const;
};

// Returns the option --windows. `windows` is empty if the option was not given.
[[nodiscard]] Option windows_option(std::vector<std::uint64_t> &windows);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other.
void complete(WindowsRequest &request);

// Looks for the certificate that vouches for the trials' figures. The trials need no self-test:
// their open queries tell whether the Tester was slow.
void require_selftest(WindowsRequest &request);

// Returns the first line of the sweep's journal. Throws SetupError if there is no such interface,
// or if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const WindowsRequest &request);

// Makes the sweep by `run`: see run_series().
[[nodiscard]] WindowsResult run_windows(const WindowsPlan &plan, Journal &journal,
                                        const TrialRunner &run);

// Makes the trials that the journal lacks, until `stop` is set, and shows how far the sweep is.
// Throws SetupError.
[[nodiscard]] WindowsResult make_series(const WindowsRequest &request, Journal &journal,
                                        const std::atomic<bool> &stop);

void fields(Fields &row, WindowsResult &result);

// Returns a table with a row for each step. In CSV the heads are the names of the fields in JSON.
[[nodiscard]] std::string to_text(const WindowsResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
