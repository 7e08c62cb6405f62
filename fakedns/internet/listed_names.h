// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names that exist by request, with the types and TTLs of their records: what dnsgauge-queries
// names lists.
#pragma once

#include "internet/wire_name.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dnsgauge
{

struct ListedType {
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;
};

struct ListedName {
    bool is_listed = false; // else a name below it is
    std::vector<ListedType> types;

    // Returns the type's entry; null if the name has no records of the type.
    [[nodiscard]] const ListedType *find(std::uint16_t type) const;
};

class ListedNames
{
public:
    static constexpr std::size_t names_most = 1'000'000;

    ListedNames() = default;

    // Reads lines "NAME TYPE TTL TYPE TTL ...", and comments behind '#' and ';' at a line's begin.
    // Throws SetupError with file and line.
    explicit ListedNames(const std::string &file);

    // Returns the name, in small letters, if it is listed or has a listed one below it; else null.
    [[nodiscard]] const ListedName *find(NameOctets name) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };

    std::unordered_map<std::string, ListedName, Hash, std::equal_to<>> names_; // by wire form
};

} // namespace dnsgauge
