// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The machine's cores and memory nodes, as hwloc reads them.
#pragma once

#include "result/placement_result.h"
#include "system/words.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

// The nearest part that two CPUs share.
enum class Nearness { cpu, core, l2, l3, node, socket, machine };

inline constexpr auto nearness_words = words<Nearness>({{Nearness::cpu, "same-cpu"},
                                                        {Nearness::core, "same-core"},
                                                        {Nearness::l2, "same-l2"},
                                                        {Nearness::l3, "same-l3"},
                                                        {Nearness::node, "same-node"},
                                                        {Nearness::socket, "same-socket"},
                                                        {Nearness::machine, "other-socket"}});

[[nodiscard]] Nearness nearness(const CpuPlace &one, const CpuPlace &other);

// Lists of CPUs are texts: "0,4", "8-15".
struct Topology {
    std::vector<std::string> shared_cores;     // the CPUs of each core that has several
    std::map<unsigned, std::string> node_cpus; // the CPUs next to each memory node, by its number
    std::vector<CpuPlace> places;              // of the CPUs on line, by their numbers
};

// Returns what hwloc finds in the /sys below `root`. Without it no core is shared, and no node is
// known.
[[nodiscard]] Topology read_topology(const std::filesystem::path &root);

} // namespace dnsgauge
