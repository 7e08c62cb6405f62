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
    // The self-test that allows least, among the searches with the sender's best CPU and transmit
    // queue and no other change of the machine. If a search decided nothing, the walk ended there,
    // and this is that search.
    SelftestOutcome selftest;
};

// Makes the searches, `request.repeat` for each placement: README.md tells their order. Changes of
// the machine are recorded first, as dnsgauge placement does, and put back after each search. Sets
// the request to the sender's best CPU and transmit queue. Throws what make_selftest() throws.
[[nodiscard]] WalkOutcome walk_placements(SelftestRequest &request, const std::atomic<bool> &stop);

} // namespace dnsgauge
