// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a name has by its hash: numbers, and places among a thousand names.
//
// A keyed hash of the name (NH, wire/question.h) gives the numbers, so that every share holds for
// unrelated names. Numbered names, whose first label ends in up to nine digits, have their places
// in turn: each share is exact in every aligned thousand of them.
#pragma once

#include "internet/wire_name.h"
#include "wire/question.h"

#include <cstdint>
#include <string_view>

namespace dnsgauge
{

// What the places and the numbers of a name are made from.
struct NameKey {
    std::uint64_t whole = 0; // hash of the name
    std::uint64_t stem = 0;  // hash of the name without its number
    std::uint32_t number = 0;
    bool is_numbered = false;
};

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
