// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/config_file.h"

#include "system/regular_file.h"
#include "system/setup_error.h"
#include "system/toml_file.h"

#include <fmt/format.h>

#include <utility>

namespace dnsgauge
{

std::vector<ConfigEntry> read_config_file(const std::string &file, std::string_view option)
{
    using Kind = ConfigValue::Kind;
    std::vector<ConfigEntry> entries;
    const std::string content = read_regular_file(file, option, settings_most);
    for (const auto &[key, value] : parse_config(content, file).members) {
        ConfigEntry entry{key, {}, fmt::format("{}:{}: {}", file, value.place.line, key)};
        for (const ConfigValue &one :
             value.kind == Kind::array ? value.items : std::vector{value}) {
            if (one.kind == Kind::array || one.kind == Kind::table)
                throw SetupError("{}: must be a text, a number, true or false, or an array of them",
                                 entry.place);
            entry.values.push_back(one.text);
        }
        if (entry.values.empty())
            throw SetupError(entry.place + ": the array is empty: leave the line out");
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace dnsgauge
