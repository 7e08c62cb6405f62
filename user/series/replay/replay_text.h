// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A replay's result for people, and for programs that read tables.
#pragma once

#include "series/replay/replay_result.h"
#include "text/table.h"

#include <string>

namespace dnsgauge
{

// Returns a row for each run, and rows for the least, the median, the mean and the greatest of each
// figure.
[[nodiscard]] std::string to_text(const ReplayResult &result, TableForm form = TableForm::text);

// Return CSV: the response rate and the replies by RCODE of each interval; the logarithmic
// percentile histogram of the later part. Each has a row for each run, by its number, and rows for
// the band over all runs, "min", "median", "mean" and "max".
[[nodiscard]] std::string replay_intervals_csv(const ReplayResult &result);
[[nodiscard]] std::string replay_curve_csv(const ReplayResult &result);

} // namespace dnsgauge
