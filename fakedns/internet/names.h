// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The names of an Internet: names in wire form, names that exist because a list says so, and what
// the hash gives a name.
#pragma once

#include "wire/dns.h"
#include "wire/question.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dnsgauge
{

using NameOctets = std::span<const std::uint8_t>; // of a whole name, root included

// A name in wire form, small letters. The depth of a name is the number of its labels: 0 is the
// root, 1 a top-level domain.
class WireName
{
public:
    // The root.
    WireName() { octets_[0] = 0; }

    // Copies a whole uncompressed name, and makes its letters small.
    explicit WireName(NameOctets name);

    // Returns the name `label` below `parent`. The two together must fit a name. The label is in
    // small letters.
    [[nodiscard]] static WireName below(std::string_view label, NameOctets parent);

    // Sets this name to below(label, parent).
    void set(std::string_view label, NameOctets parent);

    // Reads "www.example.com", with or without a last dot, as read_name() does; "." is the root.
    // Throws SetupError.
    [[nodiscard]] static WireName parse(std::string_view text);

    [[nodiscard]] NameOctets octets() const { return {octets_.data(), length_}; }
    [[nodiscard]] unsigned depth() const { return depth_; }

    // Returns the ancestor of this depth, at most depth(). The ancestor of depth() is the name
    // itself.
    [[nodiscard]] NameOctets ancestor(unsigned depth) const
    {
        return octets().subspan(depth == 0 ? length_ - 1U : starts_[depth_ - depth]);
    }

    // Returns the first label of the ancestor of this depth, 1 to depth().
    [[nodiscard]] std::string_view label(unsigned depth) const
    {
        const std::size_t start = starts_[depth_ - depth];
        return {reinterpret_cast<const char *>(&octets_[start + 1]), octets_[start]};
    }

private:
    void find_labels();

    std::uint8_t length_ = 1;
    std::uint8_t depth_ = 0;
    // Not initialised: only the octets and starts that the name has are set.
    std::array<std::uint8_t, DNS_NAME_MAX> octets_;
    std::array<std::uint8_t, DNS_LABELS_MAX> starts_; // of the labels, in their order
};

struct ListedType {
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;
};

struct ListedName {
    bool is_listed = false; // otherwise a name below it is listed
    std::vector<ListedType> types;

    // Returns the type's entry; null if the name has no records of the type.
    [[nodiscard]] const ListedType *find(std::uint16_t type) const;
};

// Names that exist because a list says so, with the types and TTLs of their records.
// dnsgauge-queries names makes such lists.
class ListedNames
{
public:
    static constexpr std::size_t names_most = 1'000'000;

    ListedNames() = default;

    // Reads lines "NAME TYPE TTL TYPE TTL ...", and comments: lines that begin with '#' or ';'.
    // Throws SetupError with file and line.
    explicit ListedNames(const std::string &file);

    // Returns the entry of `name`, which is in small letters, if the name is listed or has a listed
    // name below it; otherwise null.
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

// The hashes from which a name's places and numbers are made.
struct NameKey {
    std::uint64_t whole = 0; // hash of the name
    std::uint64_t stem = 0;  // hash of the name without its number
    std::uint32_t number = 0;
    bool is_numbered = false;
};

// Gives a name numbers, and places among a thousand names, by its hash.
//
// A keyed hash of the name (NH, wire/question.h) gives the numbers, so every share holds for
// unrelated names. Numbered names, whose first label ends in up to nine digits, get their places in
// turn: each share is exact in every aligned thousand of them.
class NameHash
{
public:
    static constexpr unsigned places = 1000;

    // The same seed gives the same numbers on every machine.
    explicit NameHash(std::string_view seed);

    // `name` is in small letters.
    [[nodiscard]] NameKey key(NameOctets name) const;

    // Returns a key for numbers only, which takes less work.
    [[nodiscard]] NameKey key_of_whole(NameOctets name) const;

    // Returns a number of 64 random bits; another `use` gives another number.
    [[nodiscard]] std::uint64_t number(const NameKey &key, unsigned use) const;

    // Returns the place of a name, 0 to 999; another `use` gives other places.
    [[nodiscard]] unsigned place(const NameKey &key, unsigned use) const;

    // Mixes two numbers into 64 random bits.
    [[nodiscard]] std::uint64_t mixed(std::uint64_t a, std::uint64_t b) const;

private:
    [[nodiscard]] std::uint64_t sum(NameOctets octets) const;

    question_key key_{};
};

// The uses of places and numbers. Each use has different ones.
enum NameUse : unsigned {
    use_registered,
    use_suffix_zone,
    use_node,
    use_wildcard,
    use_shared_servers,
    use_in_bailiwick,
    use_name_servers,
    use_hoster,
    use_server,
    use_server_ipv6,
    use_chain,
    use_dangling,
    use_target,
    use_target_zone,
    use_addresses,
    use_address,
    use_text_octets,
    use_text,
    use_exchange,
    use_ttl,
    use_loss,
    use_type = 0x1000, // plus the type's number
};

} // namespace dnsgauge
