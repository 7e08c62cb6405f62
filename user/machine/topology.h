// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The machine's cores and memory nodes, as hwloc reads them. Private to this room.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

// Lists of CPUs are texts: "0,4", "8-15".
struct Topology {
    std::vector<std::string> shared_cores;     // the CPUs of each core that has several
    std::map<unsigned, std::string> node_cpus; // the CPUs next to each memory node, by its number
};

// Returns what hwloc finds in the /sys below `root`. Without it no core is shared, and no node is
// known.
[[nodiscard]] Topology read_topology(const std::filesystem::path &root);

} // namespace dnsgauge
