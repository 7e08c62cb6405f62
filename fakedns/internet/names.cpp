// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/names.h"

#include "internet/world_options.h"

#include "dns/name_text.h"
#include "system/number_text.h"
#include "system/regular_file.h"
#include "system/setup_error.h"

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
    throw SetupError("{}: \"{}\" is no TTL: write each type's TTL after the type, in seconds",
                     place, text);
}

constexpr std::size_t digits_most = 9; // a number fits 32 bits

std::uint64_t next_of(std::uint64_t &state)
{
    state += 0x9e3779b97f4a7c15ULL; // SplitMix64's step
    return question_finish(state);
}

} // namespace

WireName::WireName(NameOctets name) : length_(static_cast<std::uint8_t>(name.size()))
{
    std::ranges::transform(name, octets_.begin(),
                           [](std::uint8_t octet) { return dns_fold(octet); });
    find_labels();
}

WireName WireName::below(std::string_view label, NameOctets parent)
{
    WireName name;
    name.set(label, parent);
    return name;
}

void WireName::set(std::string_view label, NameOctets parent)
{
    octets_[0] = static_cast<std::uint8_t>(label.size());
    const auto behind = std::ranges::copy(label, octets_.begin() + 1).out;
    const auto end = std::ranges::copy(parent, behind).out;
    length_ = static_cast<std::uint8_t>(end - octets_.begin());
    find_labels();
}

WireName WireName::parse(std::string_view text)
{
    NameOfText name;
    const char *wrong = text.empty() ? "it is empty" : read_name(text, name);
    if (wrong != nullptr)
        throw SetupError("\"{}\" is no name: {}", text, wrong);
    return WireName(name.wire());
}

void WireName::find_labels()
{
    depth_ = 0;
    for (std::size_t at = 0; octets_[at] != 0; at += 1 + std::size_t{octets_[at]})
        starts_[depth_++] = static_cast<std::uint8_t>(at);
}

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

NameHash::NameHash(std::string_view seed)
{
    std::uint64_t state = seed.size();
    for (const char c : seed)
        state = question_finish(state ^ static_cast<std::uint8_t>(c)) + 1;
    for (__u64 &word : key_.name)
        word = next_of(state);
    key_.tail = next_of(state);
    key_.client = next_of(state);
    key_.port = next_of(state);
}

std::uint64_t NameHash::sum(NameOctets octets) const
{
    std::uint64_t sum = question_mix(octets.size(), key_.tail);
    const std::size_t words = octets.size() / 8;
    const std::size_t left = octets.size() % 8;
    for (std::size_t word = 0; word < words; word++)
        sum += question_mix(wire_get64(&octets[8 * word]), key_.name[word]);
    std::uint64_t rest = 0;
    if (words != 0) // so the octets before them exist, too
        rest = wire_get64(octets.data() + octets.size() - 8) & ((std::uint64_t{1} << 8 * left) - 1);
    else
        for (const std::uint8_t octet : octets)
            rest = rest << 8 | octet;
    return question_finish(sum + question_mix(rest, key_.name[words]));
}

NameKey NameHash::key_of_whole(NameOctets name) const
{
    return {.whole = sum(name)};
}

NameKey NameHash::key(NameOctets name) const
{
    NameKey key{.whole = sum(name)};
    std::size_t kept =
        1 + std::size_t{name[0]}; // octets of the first label that are kept, with its length
    const std::size_t least = kept - std::min(kept - 1, digits_most);
    std::uint32_t unit = 1;
    for (; kept > least && is_digit(static_cast<char>(name[kept - 1])); kept--, unit *= 10)
        key.number += unit * (name[kept - 1] - std::uint32_t{'0'});
    key.is_numbered = unit != 1;
    if (!key.is_numbered) {
        key.stem = key.whole;
        return key;
    }
    std::array<std::uint8_t, DNS_NAME_MAX> stem; // no octet is read before it is written
    const NameOctets behind = name.subspan(1 + std::size_t{name[0]});
    stem[0] = static_cast<std::uint8_t>(kept - 1);
    std::ranges::copy(name.subspan(1, kept - 1), stem.begin() + 1);
    std::ranges::copy(behind, stem.begin() + static_cast<std::ptrdiff_t>(kept));
    key.stem = sum({stem.data(), kept + behind.size()});
    return key;
}

std::uint64_t NameHash::mixed(std::uint64_t a, std::uint64_t b) const
{
    return question_finish(question_finish(a + key_.client) + question_mix(b, key_.port) + b);
}

std::uint64_t NameHash::number(const NameKey &key, unsigned use) const
{
    return mixed(key.whole, use);
}

unsigned NameHash::place(const NameKey &key, unsigned use) const
{
    const std::uint64_t block = key.is_numbered ? 1 + key.number / places : 0;
    const std::uint64_t random = mixed(key.stem, block << 16 | use);
    if (!key.is_numbered)
        return static_cast<unsigned>(random % places);
    // A permutation of the thousand: the factor is coprime to 1000.
    std::uint64_t factor = (random >> 32) % 1000 | 1;
    if (factor % 5 == 0)
        factor += 2;
    return static_cast<unsigned>((key.number % places * factor + random % places) % places);
}

} // namespace dnsgauge
