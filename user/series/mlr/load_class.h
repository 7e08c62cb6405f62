// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The class of a load: whether the load, by its trials so far, is a bound of what a server sustains
// (RFC 9971, load classification).
#pragma once

#include "series/mlr/loss_goal.h"

#include <span>

namespace dnsgauge
{

enum class LoadClass {
    undecided,   // more trials at this load can still make it either bound
    lower_bound, // enough time passed in good trials
    upper_bound, // too much time passed in bad trials
};

// Returns the class of a load by all trials at this load, whatever further trials may bring. A
// trial shorter than `goal.final_duration` is a short trial: short trials alone never make a lower
// bound. Bad short trials count against the load only beyond what the good short trials excuse.
[[nodiscard]] LoadClass classify(std::span<const LossTrial> trials, const LossGoal &goal);

// Returns the conditional throughput of a lower bound in answers per second: the load without the
// losses of the worst trial that counts, after the share of trials that `goal.exceed_ratio`
// excuses.
[[nodiscard]] double conditional_throughput(std::span<const LossTrial> trials,
                                            const LossGoal &goal);

} // namespace dnsgauge
