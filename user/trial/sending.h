// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a plan means for the engine: frames, their source, and the rules for replies.
#pragma once

#include "engine/engine.h"
#include "trial/carrier.h"
#include "trial/plan.h"
#include "trial/testers.h"
#include "workload/query_source.h"

#include <cstdint>

namespace dnsgauge
{

// Returns the highest rate of all this Tester's `senders` over twice the timeout or more. The
// plan's workload is loaded.
[[nodiscard]] Rate peak_of(const TrialPlan &plan, const Shares &shares, std::uint32_t senders);

// Returns what this Tester's senders send from `source`. The plan's workload is loaded.
[[nodiscard]] QuerySources query_sources(const CarrierPlan &plan, const IpAddress &source);

// Returns by which rules replies are judged. The plan's workload is loaded.
[[nodiscard]] JudgePlan judge_plan(const TrialPlan &plan);

// Returns how long a sender may stand still before that is a stall. A Poisson pace's own bursts are
// left out.
[[nodiscard]] Nanoseconds stall_limit_of(const TrialPlan &plan);

} // namespace dnsgauge
