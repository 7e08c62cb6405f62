// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Words for the sets of CPUs that a server gets in turn: "each", "pairs", "pairs:same-l2".
#pragma once

#include "machine/topology.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the lists of CPUs that the word stands for: each CPU of `cpus` alone ("each"), or every
// two, three or four of them ("pairs", "triples", "quads"). Behind a colon stands the nearest part
// that the farthest two CPUs of a list share ("same-core", "same-l2", "same-l3", "same-node",
// "same-socket", "other-socket"), by `places`. A list of CPUs ("0,2") stands for itself. Throws
// SetupError if the word stands for nothing.
[[nodiscard]] std::vector<std::string> server_cpu_lists(const std::string &word,
                                                        const std::vector<unsigned> &cpus,
                                                        const std::vector<CpuPlace> &places);

} // namespace dnsgauge
