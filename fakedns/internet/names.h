// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The names of an Internet: in wire form, names that exist by request, and what a name has by its
// hash.
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

    // Returns the name `label` below `parent`, which together are a name; the label is in small
    // letters.
    [[nodiscard]] static WireName below(std::string_view label, NameOctets parent);

    // Makes this the same.
    void set(std::string_view label, NameOctets parent);

    // Reads "www.example.com", with or without a last dot, as read_name() does; "." is the root.
    // Throws SetupError.
    [[nodiscard]] static WireName parse(std::string_view text);

    [[nodiscard]] NameOctets octets() const { return {octets_.data(), length_}; }
    [[nodiscard]] unsigned depth() const { return depth_; }

    // Returns the ancestor of this depth (at most depth()), itself included.
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
    // Only the octets and starts that the name has are ever set.
    std::array<std::uint8_t, DNS_NAME_MAX> octets_;
    std::array<std::uint8_t, DNS_LABELS_MAX> starts_; // of the labels, the first one first
};

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

// Names that exist by request, with the types and TTLs of their records: what dnsgauge-queries
// names lists.
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

// What the places and the numbers of a name are made from.
struct NameKey {
    std::uint64_t whole = 0; // hash of the name
    std::uint64_t stem = 0;  // hash of the name without its number
    std::uint32_t number = 0;
    bool is_numbered = false;
};

// What a name has by its hash: numbers, and places among a thousand names.
//
// A keyed hash of the name (NH, wire/question.h) gives the numbers, so that every share holds for
// unrelated names. Numbered names, whose first label ends in up to nine digits, have their places
// in turn: each share is exact in every aligned thousand of them.
class NameHash
{
public:
    static constexpr unsigned places = 1000;

    // The same seed gives the same numbers on every machine.
    explicit NameHash(std::string_view seed);

    // `name` is in small letters.
    [[nodiscard]] NameKey key(NameOctets name) const;

    // Returns a key that has numbers, but no places. This takes less work.
    [[nodiscard]] NameKey key_of_whole(NameOctets name) const;

    // Returns a number of 64 random bits; another `use` gives another number.
    [[nodiscard]] std::uint64_t number(const NameKey &key, unsigned use) const;

    // Returns the place of a name, 0 to 999; another `use` gives other places.
    [[nodiscard]] unsigned place(const NameKey &key, unsigned use) const;

    // Returns a number of 64 random bits for numbers.
    [[nodiscard]] std::uint64_t mixed(std::uint64_t a, std::uint64_t b) const;

private:
    [[nodiscard]] std::uint64_t sum(NameOctets octets) const;

    question_key key_{};
};

// What the places and numbers of names are used for: each use has others.
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
    use_type = 0x1000, // and the type's number
};

} // namespace dnsgauge
