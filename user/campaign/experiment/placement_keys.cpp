// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/placement_keys.h"

#include "placement/settings.h"

#include <algorithm>

namespace dnsgauge
{

std::vector<std::string> placement_keys()
{
    std::vector<std::string> keys;
    for (const PlacementSetting &setting : placement_settings())
        keys.emplace_back(setting.name);
    return keys;
}

bool is_placement_key(const std::string &key)
{
    const std::span<const PlacementSetting> settings = placement_settings();
    return std::any_of(settings.begin(), settings.end(),
                       [&key](const PlacementSetting &setting) { return key == setting.name; });
}

bool is_server_key(const std::string &key)
{
    return key == server_cpus_key || key == "processes" || key == "threads" ||
           is_placement_key(key);
}

} // namespace dnsgauge
