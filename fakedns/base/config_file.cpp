// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/config_file.h"

#include "userland/regular_file.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace dnsgauge
{

namespace
{

// Returns line `number`, counted from 1, as it can be shown.
std::string shown_line(const std::string &content, std::size_t number)
{
    constexpr std::size_t most = 60;
    std::istringstream lines(content);
    std::string line;
    for (std::size_t i = 0; i < number; i++)
        if (!std::getline(lines, line))
            return {};
    std::erase_if(line, [](unsigned char octet) { return octet < 0x20 || octet > 0x7e; });
    return line.substr(0, most);
}

std::string text_of(const toml::node &node, const std::string &place)
{
    if (const auto text = node.value_exact<std::string>())
        return *text;
    if (const auto number = node.value_exact<std::int64_t>())
        return fmt::format("{}", *number);
    if (const auto flag = node.value_exact<bool>())
        return *flag ? "true" : "false";
    throw SetupError(place +
                     ": must be a text, a whole number, true or false, or an array of them");
}

ConfigEntry entry_of(const toml::key &key, const toml::node &node, const std::string &file)
{
    const std::string name{key.str()};
    ConfigEntry entry{name, {}, fmt::format("{}:{}: {}", file, key.source().begin.line, name)};
    if (const toml::array *array = node.as_array())
        for (const toml::node &item : *array)
            entry.values.push_back(text_of(item, entry.place));
    else
        entry.values.push_back(text_of(node, entry.place));
    if (entry.values.empty())
        throw SetupError(entry.place + ": the array is empty: leave the line out");
    return entry;
}

} // namespace

std::vector<ConfigEntry> read_config_file(const std::string &file, std::string_view option)
{
    const std::string content = read_regular_file(file, option, settings_most);
    try {
        const toml::table table = toml::parse(content);
        using Member = std::pair<const toml::key *, const toml::node *>;
        std::vector<Member> members;
        for (const auto &[key, node] : table)
            members.emplace_back(&key, &node);
        // The library sorts them by name.
        std::ranges::sort(members, {},
                          [](const Member &member) { return member.first->source().begin.line; });
        std::vector<ConfigEntry> entries;
        for (const auto &[key, node] : members)
            entries.push_back(entry_of(*key, *node, file));
        return entries;
    } catch (const toml::parse_error &wrong) {
        const std::size_t line = wrong.source().begin.line;
        throw SetupError("{}:{}: \"{}\": {}", file, line, shown_line(content, line),
                         wrong.description());
    }
}

} // namespace dnsgauge
