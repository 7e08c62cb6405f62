// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the rows of a soak, and records every one in a journal.
#pragma once

#include "record/journal.h"
#include "result/soak_result.h"
#include "search/journalled_trials.h"

#include <functional>

namespace dnsgauge
{

struct SoakPlan {
    Rate rate{};
    std::uint64_t rows = 0;        // that are not invalid
    unsigned invalid_retries = 10; // invalid rows in turn that end the soak if one more follows
};

// Returns the memory of the server's processes as it is now.
using ReadMemory = std::function<std::vector<ProcessMemory>()>;

// Makes the soak from where the journal ends, until all rows are made or something ends them.
// Records each row, and the server's memory behind the row, in the journal before the next row
// begins, and makes no recorded row again. An invalid row stays in the result, and another is made
// besides. Throws SetupError if a record of the journal does not belong to this soak, and what
// `run` or the journal throw.
[[nodiscard]] SoakResult run_soak(const SoakPlan &plan, Journal &journal, const TrialRunner &run,
                                  const ReadMemory &memory);

} // namespace dnsgauge
