// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/keys.h"

#include "options/option_error.h"
#include "placement/settings.h"
#include "series/search/search.h"

#include <algorithm>

namespace dnsgauge
{

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
    SearchRequest request = usual_request();
    std::set<std::string> names;
    for (const Option &option : search_options(request))
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
