// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/keys.h"

#include "machine/facts.h"
#include "userland/cpus.h"
#include "userland/listed.h"
#include "userland/setup_error.h"

#include <algorithm>
#include <array>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr std::array<const char *, 4> sizes = {"each", "pairs", "triples", "quads"};

using CpuSet = std::vector<unsigned>;

// Adds every set of `size` CPUs that begins with `chosen`, in the order of `cpus`.
void choose(const CpuSet &cpus, std::size_t from, std::size_t size, CpuSet &chosen,
            std::vector<CpuSet> &found)
{
    if (chosen.size() == size) {
        found.push_back(chosen);
        return;
    }
    for (std::size_t i = from; i < cpus.size(); i++) {
        chosen.push_back(cpus[i]);
        choose(cpus, i + 1, size, chosen, found);
        chosen.pop_back();
    }
}

const CpuPlace &place_of(unsigned cpu, const std::vector<CpuPlace> &places)
{
    const auto found = std::find_if(places.begin(), places.end(),
                                    [cpu](const CpuPlace &place) { return place.cpu == cpu; });
    if (found == places.end())
        throw SetupError("CPU {} is not in the topology of [placement]", cpu);
    return *found;
}

// Returns the nearest part that the farthest two of these CPUs share.
Nearness farthest(const CpuSet &cpus, const std::vector<CpuPlace> &places)
{
    Nearness found = Nearness::cpu;
    for (const unsigned one : cpus)
        for (const unsigned other : cpus)
            found = std::max(found, nearness(place_of(one, places), place_of(other, places)));
    return found;
}

} // namespace

std::vector<std::string> server_cpu_lists(const std::string &word, const CpuSet &cpus,
                                          const std::vector<CpuPlace> &places)
{
    const std::size_t colon = word.find(':');
    const auto size = std::find(sizes.begin(), sizes.end(), word.substr(0, colon));
    if (size == sizes.end()) {
        static_cast<void>(parse_cpu_list("server-cpus", word, cpu_most));
        return {word};
    }
    std::optional<Nearness> near;
    if (colon != std::string::npos) {
        near = nearness_words.value_of(word.substr(colon + 1));
        if (!near || size == sizes.begin())
            throw SetupError("server-cpus {}: behind pairs:, triples: or quads: give "
                             "same-core, same-l2, same-l3, same-node, same-socket or "
                             "other-socket",
                             word);
        if (places.empty())
            throw SetupError("server-cpus {}: [placement] must name the topology: what "
                             "dnsgauge placement show --json wrote on the server's "
                             "machine",
                             word);
    }
    if (cpus.empty())
        throw SetupError("server-cpus {}: [dut] must have a cpu-list, or [placement] a "
                         "topology",
                         word);
    std::vector<CpuSet> found;
    CpuSet chosen;
    choose(cpus, 0, static_cast<std::size_t>(size - sizes.begin()) + 1, chosen, found);
    std::vector<std::string> lists;
    for (const CpuSet &one : found)
        if (!near || farthest(one, places) == *near)
            lists.push_back(join(one, ","));
    if (lists.empty())
        throw SetupError("server-cpus {}: this machine has no such CPUs: give others", word);
    return lists;
}

} // namespace dnsgauge
