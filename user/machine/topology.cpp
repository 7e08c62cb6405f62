// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/topology.h"

#include "system/freed_by.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace dnsgauge
{

namespace
{

using TopologyOwner = std::unique_ptr<hwloc_topology, FreedBy<hwloc_topology_destroy>>;

// Returns null if hwloc cannot tell the topology.
TopologyOwner load(const std::filesystem::path &root)
{
    // hwloc takes these two settings from the environment only. A /sys that contradicts itself must
    // not fill the terminal.
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    if (root != "/")
        setenv("HWLOC_FSROOT", root.c_str(), 1);
    hwloc_topology_t made = nullptr;
    if (hwloc_topology_init(&made) != 0)
        return nullptr;
    TopologyOwner topology(made);
    // CPUs that a container may not use still belong to their cores and nodes.
    hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    // The x86 backend would run on each CPU in turn, and so disturb CPUs that measure.
    hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(topology.get()) != 0)
        return nullptr;
    return topology;
}

std::string list_text(hwloc_const_bitmap_t cpus)
{
    char *text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, cpus) < 0)
        return {};
    const std::unique_ptr<char, FreedBy<std::free>> owner(text);
    return text;
}

// Returns the number of the part of this type that holds the CPU; nothing if there is none.
std::optional<unsigned> part_of(hwloc_topology_t topology, hwloc_obj_t cpu, hwloc_obj_type_t type)
{
    hwloc_obj_t const part = hwloc_get_ancestor_obj_by_type(topology, type, cpu);
    return part == nullptr ? std::nullopt : std::optional(part->logical_index);
}

std::vector<CpuPlace> places_of(hwloc_topology_t topology, const Topology &found)
{
    std::vector<CpuPlace> places;
    hwloc_obj_t cpu = nullptr;
    while ((cpu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, cpu)) != nullptr) {
        CpuPlace place;
        place.cpu = cpu->os_index;
        place.socket = part_of(topology, cpu, HWLOC_OBJ_PACKAGE).value_or(0);
        place.core = part_of(topology, cpu, HWLOC_OBJ_CORE).value_or(cpu->logical_index);
        place.l2 = part_of(topology, cpu, HWLOC_OBJ_L2CACHE);
        place.l3 = part_of(topology, cpu, HWLOC_OBJ_L3CACHE);
        for (const auto &[node, list] : found.node_cpus)
            if (hwloc_bitmap_isset(cpu->nodeset, node) != 0)
                place.node = node;
        places.push_back(place);
    }
    std::ranges::sort(places, {}, &CpuPlace::cpu);
    return places;
}

} // namespace

Nearness nearness(const CpuPlace &one, const CpuPlace &other)
{
    if (one.cpu == other.cpu)
        return Nearness::cpu;
    if (one.core == other.core)
        return Nearness::core;
    if (one.l2 && one.l2 == other.l2)
        return Nearness::l2;
    if (one.l3 && one.l3 == other.l3)
        return Nearness::l3;
    if (one.socket != other.socket)
        return Nearness::machine;
    return one.node && one.node == other.node ? Nearness::node : Nearness::socket;
}

Topology read_topology(const std::filesystem::path &root)
{
    Topology found;
    const TopologyOwner topology = load(root);
    if (!topology)
        return found;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_CORE, object)) != nullptr)
        if (hwloc_bitmap_weight(object->cpuset) > 1)
            found.shared_cores.push_back(list_text(object->cpuset));
    while ((object = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, object)) !=
           nullptr)
        found.node_cpus[object->os_index] = list_text(object->cpuset);
    found.places = places_of(topology.get(), found);
    return found;
}

} // namespace dnsgauge
