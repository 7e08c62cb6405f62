// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/listed_names.h"

#include "internet/world_file.h"

#include "userland/number_text.h"
#include "userland/regular_file.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dnsgauge
{

namespace
{

std::string_view key_of(NameOctets name)
{
    return {reinterpret_cast<const char *>(name.data()), name.size()};
}

std::uint32_t ttl_of(const std::string &place, const std::string &text)
{
    if (const auto ttl = read_number(text, ttl_max))
        return *ttl;
    throw SetupError("{}: \"{}\" is no TTL: behind each type stands its TTL, in "
                     "seconds",
                     place, text);
}

} // namespace

const ListedType *ListedName::find(std::uint16_t type) const
{
    const auto found = std::ranges::find(types, type, &ListedType::type);
    return found == types.end() ? nullptr : &*found;
}

ListedNames::ListedNames(const std::string &file)
{
    std::istringstream stream(read_regular_file(file, "--names", names_most));
    std::size_t number = 0;
    std::size_t listed = 0;
    for (std::string line; std::getline(stream, line);) {
        number++;
        const std::string place = fmt::format("{}:{}", file, number);
        std::istringstream words(line);
        std::string word;
        if (!(words >> word) || word[0] == '#' || word[0] == ';')
            continue;
        if (++listed > names_most)
            throw SetupError("{}: at most {} names can be listed", place, names_most);
        WireName name;
        try {
            name = WireName::parse(word);
        } catch (const SetupError &error) {
            throw SetupError(place + ": " + error.what());
        }
        for (unsigned depth = 0; depth < name.depth(); depth++)
            names_.try_emplace(std::string(key_of(name.ancestor(depth))));
        ListedName &entry = names_[std::string(key_of(name.octets()))];
        entry = {.is_listed = true, .types = {}};
        for (std::string ttl; words >> word;) {
            const std::uint16_t type = parse_type(place, word);
            words >> ttl;
            entry.types.push_back({type, ttl_of(place, words ? ttl : "")});
        }
    }
    if (number == 0)
        throw SetupError("--names: {} is empty", file);
}

const ListedName *ListedNames::find(NameOctets name) const
{
    const auto found = names_.find(key_of(name));
    return found == names_.end() ? nullptr : &found->second;
}

} // namespace dnsgauge
