// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes a self-test for each placement of the Tester's own side, and finds the best placement.
#pragma once

#include "result/placement_walk.h"
#include "selftest/selftest_run.h"

#include <atomic>

namespace dnsgauge
{

struct WalkOutcome {
    PlacementWalk walk;
    // Of the sender's best CPU and transmit queue, with the machine as it is: the self-test of its
    // searches that allows least. Where a search decided nothing, the walk ended with that search,
    // which is here.
    SelftestOutcome selftest;
};

// Makes the searches, `request.repeat` for each placement, round after round, so that whatever
// changes meanwhile meets all placements alike. First come the CPUs of `request.walked_cpus` for
// the sender; then, with the best of them, its transmit queues; then CPUs for the queues'
// interrupts, and what the card's receive hash takes, each as far as it can be changed here. What a
// search needs changed is recorded first, as dnsgauge placement does, and put back after the
// search. Sets the request to the sender's best CPU and transmit queue. Throws what make_selftest()
// throws.
[[nodiscard]] WalkOutcome walk_placements(SelftestRequest &request, const std::atomic<bool> &stop);

} // namespace dnsgauge
