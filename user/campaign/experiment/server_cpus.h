// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Words for the sets of CPUs that a server gets in turn: "each", "pairs", "pairs:same-l2".
#pragma once

#include "machine/topology.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the lists of CPUs that the word stands for. Throws SetupError if it stands for nothing.
//
// - "each": each CPU of `cpus` alone.
// - "pairs", "triples", "quads": every two, three or four of `cpus`. A colon and a part may follow:
//   "same-core", "same-l2", "same-l3", "same-node", "same-socket" or "other-socket". Then the
//   farthest two CPUs of a list share this part and no nearer one, by `places`.
// - "0,2": itself.
[[nodiscard]] std::vector<std::string> server_cpu_lists(const std::string &word,
                                                        const std::vector<unsigned> &cpus,
                                                        const std::vector<CpuPlace> &places);

} // namespace dnsgauge
