// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The self-test of the Tester (RFC 8219 section 9.2.1): is it fit for a rate r, and up to which?
#pragma once

#include "result/selftest_result.h"
#include "search/bisection.h"
#include "search/search.h"
#include "stats/selftest_rule.h"

namespace dnsgauge
{

struct SelftestPlan {
    SearchRange range; // of the rates r; where both ends are the same, it is asked for that one
    unsigned confirm = 0;
    SelftestRule rule;
};

struct SelftestOutcome {
    std::vector<SelftestTrial> trials;
    SearchEnd end = SearchEnd::complete;
    std::optional<Rate> allowed;
    std::optional<SelftestTrial> stopped_by;
    std::optional<Circumstances> circumstances; // of the last trial
};

// `run` makes each trial at the rate that the rule asks for. One that is invalid because it was
// more than the Tester can do has failed here: that is what is asked.
[[nodiscard]] SelftestOutcome run_selftest(const SelftestPlan &plan, const TrialRunner &run);

} // namespace dnsgauge
