// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A search's result for people.
#pragma once

#include "result/series_result.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns a line for each repetition, finished or not, and the statistics of the finished ones.
[[nodiscard]] std::string to_text(const SearchResult &result);

// Returns through which interface, in which modes and from which CPUs the trials were made.
[[nodiscard]] std::string through_text(const Circumstances &with);

// Returns lines for people: through_text(), why the sender had its CPU where nobody named one, and
// what there is to know of the Tester's queues. None where there was no trial.
[[nodiscard]] std::vector<std::string> through_lines(const TrialLog &log);

// Returns how many trials were invalid, and what became of these.
[[nodiscard]] std::string invalid_trials_text(const TrialLog &log);

// Returns what bounds the result of the last search where it has none: ">= 50000", "20000..30000",
// "< 30000". Empty: it has one, or nothing is known.
[[nodiscard]] std::string bound_text(const SearchResult &result);

// Returns what every form of the result must say besides its figures: bounds in place of a rate,
// invalid trials.
[[nodiscard]] std::vector<std::string> search_notes(const SearchResult &result);

} // namespace dnsgauge
