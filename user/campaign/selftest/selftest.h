// The self-test of the Tester (RFC 8219 section 9.2.1) finds out up to which rate r the Tester is
// fit.
#pragma once

#include "result/selftest_result.h"
#include "series/search/bisection.h"
#include "series/search/search.h"
#include "stats/selftest_rule.h"

namespace dnsgauge
{

struct SelftestPlan {
    SearchRange range; // of the rates r; both ends are the same for one rate
    unsigned confirm = 0;
    SelftestRule rule;
};

struct SelftestOutcome {
    std::vector<SelftestTrial> trials;
    TrialsEnd end = TrialsEnd::complete;
    std::optional<Rate> allowed;
    std::optional<SelftestTrial> stopped_by;
    std::optional<Circumstances> circumstances; // of the last trial
    // The circumstances of the other Testers, by rank.
    std::vector<Circumstances> other_circumstances;
};

// Makes the self-test. `run` makes each trial, at the rate that the rule asks for. A trial that is
// invalid because the Tester was too slow counts as failed: the self-test asks just this.
[[nodiscard]] SelftestOutcome run_selftest(const SelftestPlan &plan, const TrialRunner &run);

} // namespace dnsgauge
