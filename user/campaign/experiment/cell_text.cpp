// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/cell_text.h"

#include "userland/listed.h"

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

CellText::CellText(const Experiment &experiment, const std::vector<Cell> &cells)
    : experiment_(experiment)
{
    for (const std::string key : {"names", "server"}) {
        std::map<std::string, std::string> values; // by brief text
        for (const Cell &cell : cells) {
            const std::string value = cell.value(key);
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

} // namespace dnsgauge
