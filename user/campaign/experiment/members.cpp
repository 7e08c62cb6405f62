// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/members.h"

#include "series/search/search.h"
#include "stats/summary.h"
#include "userland/counted.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace dnsgauge
{

namespace
{

const std::map<std::string, std::string> head_names = {{"accept", "Accepted (%)"},
                                                       {"aaaa-share", "AAAA record rate (%)"},
                                                       {"cached-share", "Cache hit rate (%)"},
                                                       {"cores", "Num. CPU cores"},
                                                       {"duration", "Test duration (s)"},
                                                       {"names", "Zone size"},
                                                       {"irq-cpus", "Interrupts on CPUs"},
                                                       {"processes", "Server processes"},
                                                       {"server-cpus", "Server on CPUs"},
                                                       {"server", "Server"},
                                                       {"timeout", "Timeout (s)"}};

} // namespace

std::string head_of(const std::string &key)
{
    const auto found = head_names.find(key);
    return found == head_names.end() ? key : found->second;
}

CellText::CellText(const Experiment &experiment, const CellResults &results)
    : experiment_(experiment)
{
    for (const std::string key : {"names", "server"}) {
        std::map<std::string, std::string> values; // by brief text
        for (const CellResult &result : results) {
            const std::string value = result.cell.value(key);
            if (values.emplace(brief(key, value), value).first->second != value)
                whole_.insert(key);
        }
    }
}

std::string CellText::brief(const std::string &key, const std::string &value) const
{
    if (key == "names" && value.find('/') != std::string::npos)
        return value.substr(value.find('/'));
    if (key == "server" && experiment_.servers.contains(value))
        return experiment_.servers.at(value).label;
    return value;
}

std::string CellText::shown(const Cell &cell, const std::string &key) const
{
    const std::string value = cell.value(key);
    return whole_.contains(key) ? value : brief(key, value);
}

std::string CellText::shown(const Cell &cell, const std::vector<std::string> &keys) const
{
    return joined(keys, [&](const std::string &key) { return shown(cell, key); });
}

std::vector<std::string> notes_of(const CellOutcome &outcome)
{
    std::vector<std::string> notes;
    if (!outcome.failure.empty())
        notes.push_back(outcome.failure);
    for (const std::string &note : search_notes(outcome.result))
        notes.push_back(note);
    if (outcome.placement)
        notes.insert(notes.end(), outcome.placement->notes.begin(), outcome.placement->notes.end());
    const Caveats &caveats = outcome.result.caveats;
    if (caveats.is_tester_limited())
        notes.push_back(caveats.tester_limit);
    if (const std::size_t capped = caveats.capped; capped != 0)
        notes.push_back(fmt::format("{} of {} perhaps capped by one unlucky trial", capped,
                                    counted(outcome.result.rates().size(), "search", "searches")));
    return notes;
}

std::vector<Group> groups_by(const CellResults &members, const std::vector<std::string> &keys)
{
    std::vector<Group> groups;
    std::map<std::vector<std::string>, std::size_t> found;
    for (std::size_t i = 0; i < members.size(); i++) {
        std::vector<std::string> values;
        for (const std::string &key : keys)
            values.push_back(members[i].cell.value(key));
        const auto [place, is_new] = found.emplace(std::move(values), groups.size());
        if (is_new)
            groups.emplace_back();
        groups[place->second].push_back(i);
    }
    return groups;
}

std::vector<std::string> all_but(const Experiment &experiment, const std::set<std::string> &keys)
{
    std::vector<std::string> rest = varying_keys(experiment);
    for (const std::string key : {"accept", "duration", "timeout"})
        if (std::find(rest.begin(), rest.end(), key) == rest.end())
            rest.push_back(key);
    std::erase_if(rest, [&keys](const std::string &key) { return keys.contains(key); });
    return rest;
}

std::vector<std::string> differing(const CellResults &members, const std::vector<std::string> &keys)
{
    std::vector<std::string> found;
    for (const std::string &key : keys)
        if (groups_by(members, {key}).size() > 1)
            found.push_back(key);
    return found;
}

std::vector<std::string> flat_curves(const Experiment &experiment, const CellResults &members)
{
    constexpr std::size_t points_least = 3;
    constexpr double flat = 1.05; // the highest rate over the lowest one
    std::vector<std::string> warnings;
    const std::vector<std::string> others = all_but(experiment, {"processes"});
    for (const Group &group : groups_by(members, others)) {
        std::vector<double> medians;
        std::set<std::string> numbers;
        for (const std::size_t i : group)
            if (const Summary rates = summarize(members[i].outcome.result.rates());
                rates.count != 0 && numbers.insert(members[i].cell.value("processes")).second)
                medians.push_back(rates.median);
        if (medians.size() < points_least)
            continue;
        const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
        if (*high > *low * flat)
            continue;
        std::string alike;
        for (const std::string &key : differing(members, others))
            alike += fmt::format(" {} {}", key, members[group.front()].cell.value(key));
        warnings.push_back(fmt::format("The rates of {} numbers of server processes{} differ by no "
                                       "more than 5 %: the Tester may be the limit",
                                       medians.size(), alike.empty() ? "" : "," + alike));
    }
    return warnings;
}

} // namespace dnsgauge
