// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A TOML file (https://toml.io) of which every key and value knows its line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Place {
    std::string file;
    unsigned line = 0; // from 1
};

// Throws SetupError, "FILE:LINE: what".
[[noreturn]] void refuse(const Place &place, const std::string &what);

struct ConfigMember;

struct ConfigValue {
    enum class Kind { text, number, flag, array, table };

    Kind kind = Kind::table;
    std::string text; // of the first three kinds, as it would stand on a command line
    std::vector<ConfigValue> items;
    std::vector<ConfigMember> members; // in their order in the file
    Place place;                       // of a member: where its key stands

    // Null where there is none.
    [[nodiscard]] const ConfigValue *find(const std::string &key) const;
};

struct ConfigMember {
    std::string key;
    ConfigValue value;
};

// The table that a file holds, merged over the one that its key "extends" names, if any, relative
// to its own folder. Throws SetupError: no such file, no TOML, or it extends itself.
[[nodiscard]] ConfigValue read_config(const std::filesystem::path &file);

// Puts `over` over `base`: tables are merged, everything else is replaced, arrays as a whole.
void merge(ConfigValue &base, ConfigValue &&over);

} // namespace dnsgauge
