// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plan of a trial as words of a command line, by which other Testers make the same plan.
#pragma once

#include "options/option.h"
#include "trial/trial.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the words that set all options of the plan which are not the usual ones, --rate included.
[[nodiscard]] std::vector<std::string> words_of(const TrialPlan &plan);

// Returns the plan of words_of(), but with the values of `own`, this Tester's own. Throws
// SetupError where one of those is wrong.
[[nodiscard]] TrialPlan plan_of(const std::vector<std::string> &words,
                                const std::vector<GivenOption> &own);

} // namespace dnsgauge
