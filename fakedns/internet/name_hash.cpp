// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/name_hash.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t digits_most = 9; // a number fits 32 bits

std::uint64_t next_of(std::uint64_t &state)
{
    state += 0x9e3779b97f4a7c15ULL; // SplitMix64's step
    return question_finish(state);
}

bool is_digit(std::uint8_t octet)
{
    return octet >= '0' && octet <= '9';
}

} // namespace

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
    if (words != 0) // the octets before them are there, too
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
    std::size_t kept = 1 + std::size_t{name[0]}; // octets of the first label and its length
    const std::size_t least = kept - std::min(kept - 1, digits_most);
    std::uint32_t unit = 1;
    for (; kept > least && is_digit(name[kept - 1]); kept--, unit *= 10)
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
