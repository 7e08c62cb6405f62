// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TOML files (https://toml.io). Every key and value knows its line.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

struct Place {
    std::string file;
    unsigned line = 0; // from 1
};

// Throws SetupError with "FILE:LINE: what".
[[noreturn]] void refuse(const Place &place, const std::string &what);
template <class First, class... Rest>
[[noreturn]] void refuse(const Place &place, fmt::format_string<First, Rest...> what, First &&first,
                         Rest &&...rest)
{
    refuse(place, fmt::format(what, std::forward<First>(first), std::forward<Rest>(rest)...));
}

struct ConfigMember;

struct ConfigValue {
    enum class Kind { text, number, flag, array, table };

    Kind kind = Kind::table;
    std::string text; // of the first three kinds, in the form of a command line
    std::vector<ConfigValue> items;
    std::vector<ConfigMember> members; // in their order in the file
    Place place;                       // of a member: the place of its key

    // Returns null if there is no such member.
    [[nodiscard]] const ConfigValue *find(const std::string &key) const;
};

struct ConfigMember {
    std::string key;
    ConfigValue value;
};

// Returns the table of a text, which messages call `file`. Throws SetupError if it is no TOML.
[[nodiscard]] ConfigValue parse_config(const std::string &text, const std::string &file);

// Returns the table of a file, which messages call `what`, merged over the file that its key
// "extends" names, if any, relative to its own folder. Throws SetupError if there is no such file,
// if it is no TOML, or if it extends itself.
[[nodiscard]] ConfigValue read_config(const std::string &what, const std::filesystem::path &file);

// Puts `over` over `base`: merges tables, and replaces all other values, arrays as a whole.
void merge(ConfigValue &base, ConfigValue &&over);

} // namespace dnsgauge
