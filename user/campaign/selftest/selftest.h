// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The self-test of the Tester (RFC 8219 section 9.2.1) finds the highest rate r for which the
// Tester is fit.
#pragma once

#include "record/selftest_result.h"
#include "series/search/bisection.h"
#include "series/search/search.h"
#include "stats/selftest_rule.h"
#include "trial/trial.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

struct SelftestPlan {
    SearchRange range; // of the rates r; both ends are the same for one rate
    unsigned confirm = 0;
    SelftestRule rule;
};

// Makes the self-test. `run` makes each trial, at the rate that the rule asks for. A trial that is
// invalid because the Tester was too slow counts as failed: this is what the self-test must find
// out.
[[nodiscard]] SelftestOutcome run_selftest(const SelftestPlan &plan, const TrialRunner &run);

// Returns how many names the probe asks for at a place. Each sender of several Testers gets one.
[[nodiscard]] std::uint64_t names_of_probe(const TrialPlan &plan);

// Asks for a few names at random places of the whole namespace. Returns the circumstances of the
// trial, or nothing if it was stopped. Throws SetupError if not all names were answered right.
//
// No zone in a server's memory has all 2^32 names. The largest possible zone (/3) passes once in
// 4,096 times. A wildcard cannot have the right data, which depend on the name. A resolver between
// the Tester and FakeDNS is not noticed. None of these can make an unfit Tester pass the self-test,
// because the Tester itself must send all queries and judge all answers.
[[nodiscard]] std::optional<Circumstances> recognize_fakedns(TrialPlan plan,
                                                             const std::atomic<bool> &stop);

} // namespace dnsgauge
