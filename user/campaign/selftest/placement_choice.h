// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which placements a self-test tries, and which of them is best: pure functions.
#pragma once

#include "result/placement_result.h"
#include "result/placement_walk.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns "CPU 2", or "CPU 2 with transmit queue 3 and --irq-cpus 4".
[[nodiscard]] std::string placement_name(const WalkedPlacement &placement);

// Returns one CPU of each nearness to `cpu`, from that CPU itself to the farthest: another CPU of
// its core, another CPU of its L2 cache, and so on. Leaves out a nearness that no CPU has. `all`
// has `cpu`.
[[nodiscard]] std::vector<unsigned> one_of_each_nearness(unsigned cpu,
                                                         const std::vector<CpuPlace> &all);

// Returns the first queue of each nearness to `cpu`, except for the nearness of the queue `usual`.
// `queues` has the CPU of each queue, and `all` has `cpu`.
[[nodiscard]] std::vector<unsigned>
one_queue_of_each_nearness(unsigned cpu, unsigned usual, const std::map<unsigned, unsigned> &queues,
                           const std::vector<CpuPlace> &all);

// Fills in `best`, `gain_percent` and `found`. The first placement is the usual one. Another one is
// better if each of its searches found more than every search of the usual one, by at least the
// searches' resolution. The best placement has the highest median.
void choose_best(PlacementStage &stage, std::uint64_t resolution);

} // namespace dnsgauge
