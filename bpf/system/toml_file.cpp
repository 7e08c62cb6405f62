// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/toml_file.h"

#include "system/regular_file.h"
#include "system/setup_error.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <system_error>

namespace dnsgauge
{

namespace
{

constexpr std::size_t files_most = 16; // in a chain of files that extend one another

Place place_of(const toml::source_region &source, const std::string &file)
{
    return {file, source.begin.line};
}

std::string text_of(const toml::node &node, const Place &place)
{
    if (const auto text = node.value_exact<std::string>())
        return *text;
    if (const auto number = node.value_exact<std::int64_t>())
        return fmt::format("{}", *number);
    if (const auto real = node.value_exact<double>())
        return fmt::format("{}", *real);
    if (const auto flag = node.value_exact<bool>())
        return *flag ? "true" : "false";
    refuse(place, "a date or a time means nothing here");
}

ConfigValue::Kind kind_of(const toml::node &node)
{
    if (node.is_table())
        return ConfigValue::Kind::table;
    if (node.is_array())
        return ConfigValue::Kind::array;
    if (node.is_boolean())
        return ConfigValue::Kind::flag;
    return node.is_number() ? ConfigValue::Kind::number : ConfigValue::Kind::text;
}

ConfigValue value_of(const toml::node &node, const Place &place)
{
    ConfigValue value;
    value.kind = kind_of(node);
    value.place = place;
    if (const toml::array *array = node.as_array()) {
        for (const toml::node &item : *array)
            value.items.push_back(value_of(item, place_of(item.source(), place.file)));
        return value;
    }
    const toml::table *table = node.as_table();
    if (table == nullptr) {
        value.text = text_of(node, place);
        return value;
    }
    using Entry = std::pair<const toml::key *, const toml::node *>;
    std::vector<Entry> entries;
    for (const auto &[key, member] : *table)
        entries.emplace_back(&key, &member);
    // The library sorts members by name; this restores the order of the file.
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
        return a.first->source().begin < b.first->source().begin;
    });
    for (const auto &[key, member] : entries)
        value.members.push_back(
            {std::string(key->str()), value_of(*member, place_of(key->source(), place.file))});
    return value;
}

// Returns line `number`, counted from 1, as it can be shown.
std::string shown_line(const std::string &text, std::size_t number)
{
    constexpr std::size_t most = 60;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t i = 0; i < number; i++)
        if (!std::getline(lines, line))
            return {};
    std::erase_if(line, [](unsigned char octet) { return octet < 0x20 || octet > 0x7e; });
    return line.substr(0, most);
}

ConfigValue read_one(const std::string &what, const std::filesystem::path &file)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
        throw SetupError("cannot read {} {}: there is no such file", what, file.string());
    return parse_config(read_regular_file(file.string(), what, settings_most), file.string());
}

ConfigValue read_extended(const std::string &what, const std::filesystem::path &file,
                          std::size_t depth)
{
    ConfigValue config = read_one(what, file);
    const ConfigValue *base = config.find("extends");
    if (base == nullptr)
        return config;
    if (base->kind != ConfigValue::Kind::text)
        refuse(base->place, "extends: must be the name of a file");
    if (depth == files_most)
        refuse(base->place,
               "extends: more than {} files extend one another: does one extend itself?",
               files_most);
    ConfigValue merged = read_extended(what, file.parent_path() / base->text, depth + 1);
    std::erase_if(config.members, [](const auto &member) { return member.key == "extends"; });
    merge(merged, std::move(config));
    return merged;
}

} // namespace

void refuse(const Place &place, const std::string &what)
{
    throw SetupError("{}:{}: {}", place.file, place.line, what);
}

const ConfigValue *ConfigValue::find(const std::string &key) const
{
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&key](const auto &member) { return member.key == key; });
    return found == members.end() ? nullptr : &found->value;
}

ConfigValue parse_config(const std::string &text, const std::string &file)
{
    try {
        return value_of(toml::parse(text, file), {file, 1});
    } catch (const toml::parse_error &wrong) {
        const Place place = place_of(wrong.source(), file);
        refuse(place, "\"{}\": {}", shown_line(text, place.line), wrong.description());
    }
}

ConfigValue read_config(const std::string &what, const std::filesystem::path &file)
{
    return read_extended(what, file, 1);
}

void merge(ConfigValue &base, ConfigValue &&over)
{
    for (auto &[key, value] : over.members) {
        const auto found =
            std::find_if(base.members.begin(), base.members.end(),
                         [&name = key](const auto &member) { return member.key == name; });
        if (found == base.members.end())
            base.members.push_back({key, std::move(value)});
        else if (found->value.kind == ConfigValue::Kind::table &&
                 value.kind == ConfigValue::Kind::table)
            merge(found->value, std::move(value));
        else
            found->value = std::move(value);
    }
}

} // namespace dnsgauge
