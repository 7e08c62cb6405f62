// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plan of a trial as words of a command line, by which other Testers make the same plan.
#pragma once

#include "options/option.h"
#include "trial/plan.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the words that set all options of the plan with other values than the defaults, --rate
// included, except the options in `without`. If the plan has its captures, --duration is the
// duration asked for, so that another Tester finds the same queries in them.
[[nodiscard]] std::vector<std::string> words_of(const TrialPlan &plan,
                                                const std::vector<std::string> &without = {});

// Returns the plan of words_of(), but with the values of `own`, this Tester's own. Throws
// OptionError if one of these values is wrong.
[[nodiscard]] TrialPlan plan_of(const std::vector<std::string> &words,
                                const std::vector<GivenOption> &own);

// Returns whether trials have such an option.
[[nodiscard]] bool is_of_trials(const std::string &option);

// Throws SetupError if trials have no such option, and OptionError if its text is wrong.
void check_value(const GivenOption &value);

} // namespace dnsgauge
