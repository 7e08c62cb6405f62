// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plan of a trial as words of a command line, by which other Testers make the same plan.
#pragma once

#include "options/option.h"
#include "trial/plan.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// The plan of a trial, as one Tester makes it. Orders that need no more leave the last three out.
struct ToldPlan {
    std::vector<std::string> words; // see plan_of()
    std::vector<GivenOption> own;
    std::vector<std::string> files_crc64{}; // of the files of queries
    std::vector<GivenOption> given{};       // all options of the command
    std::string faults{};                   // of FakeDNS
};

// Returns the words that set all options of the plan with other values than the defaults, --rate
// included, except the options in `without`. If the plan has its captures, --duration is the
// duration asked for, so that another Tester finds the same queries in them.
[[nodiscard]] std::vector<std::string> words_of(const TrialPlan &plan,
                                                const std::vector<std::string> &without = {});

// Returns the plan of words_of(), but with the values of `own`, this Tester's own. Ignores options
// that trials lack. Throws OptionError if one of these values is wrong.
[[nodiscard]] TrialPlan plan_of(const std::vector<std::string> &words,
                                std::vector<GivenOption> own);
[[nodiscard]] TrialPlan plan_of(const ToldPlan &told);

} // namespace dnsgauge
