// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep whose steps are windows of open queries, closed loops: its options, its trials, its knee,
// and the forms of its result.
#pragma once

#include "series/kind.h"
#include "stats/knee.h"
#include "text/table.h"

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
    static constexpr const char *kind = "window-sweep";

    WindowsPlan plan;
};

// Its rows are the steps, without invalid trials. Its doubts are the steps' doubts about their
// windows.
struct WindowsResult : SeriesResult {
    WindowsPlan plan;

    // Returns the knee of the repetitions that are complete.
    [[nodiscard]] Knee knee() const;
};

// Returns the option --windows. `windows` is empty if the option was not given.
[[nodiscard]] Option windows_option(std::vector<std::uint64_t> &windows);

// Makes the sweep by `run`: see run_series().
[[nodiscard]] WindowsResult run_windows(const WindowsPlan &plan, Journal &journal,
                                        const TrialRunner &run);

// Runs the command `sweep` for windows, as run_command() does for a kind with a command of its own.
[[nodiscard]] ExitStatus sweep_windows(WindowsRequest &request, const SeriesFiles &files,
                                       const std::string &name,
                                       const std::vector<std::string> &words);

void fields(Fields &row, WindowsResult &result);

// Returns a table with a row for each step. In CSV the heads are the names of the fields in JSON.
[[nodiscard]] std::string to_text(const WindowsResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
