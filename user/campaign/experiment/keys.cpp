// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/keys.h"

#include "options/option_error.h"
#include "placement/settings.h"
#include "series/search/search.h"
#include "system/cpus.h"
#include "system/listed.h"
#include "system/setup_error.h"

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
    const auto found = std::ranges::find(places, cpu, &CpuPlace::cpu);
    if (found == places.end())
        throw SetupError("CPU {} is not in the topology of [placement]", cpu);
    return *found;
}

// Returns the nearest part that is shared by the farthest two of these CPUs.
Nearness farthest(const CpuSet &cpus, const std::vector<CpuPlace> &places)
{
    Nearness found = Nearness::cpu;
    for (const unsigned one : cpus)
        for (const unsigned other : cpus)
            found = std::max(found, nearness(place_of(one, places), place_of(other, places)));
    return found;
}

} // namespace

std::string key_of(const std::string &option)
{
    return option == "server" ? "address" : option;
}

std::string option_of(const std::string &key)
{
    return key == "address" ? "server" : key;
}

std::set<std::string> search_option_names()
{
    SearchRequest request;
    std::set<std::string> names;
    for (const Option &option : options_of(request))
        names.insert(option.name);
    return names;
}

std::string in_keys(const std::string &message)
{
    const std::set<std::string> names = search_option_names();
    return OptionError({names.begin(), names.end()}, message).called([](const std::string &option) {
        return key_of(option);
    });
}

std::vector<std::string> placement_keys()
{
    std::vector<std::string> keys;
    for (const PlacementSetting &setting : placement_settings())
        keys.emplace_back(setting.name);
    return keys;
}

bool is_placement_key(const std::string &key)
{
    return std::ranges::any_of(placement_settings(), [&key](const PlacementSetting &setting) {
        return key == setting.name;
    });
}

bool is_server_key(const std::string &key)
{
    return key == server_cpus_key || key == "processes" || key == "threads" ||
           is_placement_key(key);
}

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
            throw SetupError("server-cpus {}: after pairs:, triples: or quads: give "
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
