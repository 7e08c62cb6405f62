// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/pseudonyms.h"

#include "wire/dns.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::size_t permuted_most = 12; // 37^12 < 2^63
constexpr unsigned rounds = 10;

// What a digest is for.
constexpr std::uint8_t use_tweak = 1;
constexpr std::uint8_t use_label = 2;

// Returns the number whose digits to the base of the alphabet's size are the label's characters;
// nothing if one is not in the alphabet.
std::optional<std::uint64_t> number_of(std::span<const std::uint8_t> label)
{
    std::uint64_t number = 0;
    for (const std::uint8_t octet : label) {
        const std::size_t digit = alphabet.find(static_cast<char>(octet));
        if (digit == std::string_view::npos)
            return {};
        number = number * alphabet.size() + digit;
    }
    return number;
}

std::uint64_t numbers_of_size(std::size_t size)
{
    std::uint64_t numbers = 1;
    for (std::size_t i = 0; i < size; i++)
        numbers *= alphabet.size();
    return numbers;
}

} // namespace

AddressPseudonyms::AddressPseudonyms(std::span<const std::uint8_t, key_size> key)
{
    aes128_set_encrypt_key(&cipher_, key.data());
    aes128_encrypt(&cipher_, pad_.size(), pad_.data(), key.data() + AES128_KEY_SIZE);
}

IpAddress AddressPseudonyms::compute(const IpAddress &address) const
{
    IpAddress pseudonym = address;
    std::array<std::uint8_t, AES_BLOCK_SIZE> block = pad_;
    std::array<std::uint8_t, AES_BLOCK_SIZE> output{};
    // The preceding bits, followed by the pad, decide whether a bit is flipped.
    for (std::size_t bit = 0; bit < address.octets().size() * 8; bit++) {
        aes128_encrypt(&cipher_, block.size(), output.data(), block.data());
        const std::size_t octet = bit / 8;
        const unsigned mask = 0x80U >> (bit % 8);
        if ((output[0] & 0x80U) != 0)
            pseudonym.bytes[octet] = static_cast<std::uint8_t>(pseudonym.bytes[octet] ^ mask);
        block[octet] =
            static_cast<std::uint8_t>((block[octet] & ~mask) | (address.bytes[octet] & mask));
    }
    return pseudonym;
}

IpAddress AddressPseudonyms::of(const IpAddress &address)
{
    const std::string octets(address.octets().begin(), address.octets().end());
    const auto found = remembered_.find(octets);
    if (found != remembered_.end())
        return found->second;
    if (remembered_.size() == remembered_most)
        remembered_.clear();
    return remembered_.emplace(octets, compute(address)).first->second;
}

NamePseudonyms::NamePseudonyms(std::span<const std::uint8_t, key_size> key)
{
    hmac_sha256_set_key(&mac_, key.size(), key.data());
    aes128_set_encrypt_key(&cipher_, digest(0, "cipher").data());
}

NamePseudonyms::Digest NamePseudonyms::digest(std::uint8_t use, std::string_view octets) const
{
    hmac_sha256_ctx mac = mac_;
    hmac_sha256_update(&mac, 1, &use);
    hmac_sha256_update(&mac, octets.size(), reinterpret_cast<const std::uint8_t *>(octets.data()));
    Digest digest{};
    hmac_sha256_digest(&mac, digest.size(), digest.data());
    return digest;
}

// A Feistel network over an even number of bits, whose halves have at most 32.
std::uint64_t NamePseudonyms::permute_number(std::uint64_t number, unsigned bits,
                                             std::uint64_t tweak) const
{
    const unsigned half = bits / 2;
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    std::uint64_t left = number >> half;
    std::uint64_t right = number & mask;
    for (unsigned round = 0; round < rounds; round++) {
        std::array<std::uint8_t, AES_BLOCK_SIZE> block{};
        wire_put64(block.data(), tweak);
        wire_put32(block.data() + 8, static_cast<std::uint32_t>(right));
        wire_put16(block.data() + 12, static_cast<std::uint16_t>(round));
        wire_put16(block.data() + 14, static_cast<std::uint16_t>(bits));
        aes128_encrypt(&cipher_, block.size(), block.data(), block.data());
        const std::uint64_t next = left ^ (wire_get64(block.data()) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

void NamePseudonyms::permute(std::span<std::uint8_t> label, std::string_view parent) const
{
    const std::uint64_t numbers = numbers_of_size(label.size());
    const auto needed = static_cast<unsigned>(std::bit_width(numbers - 1));
    const unsigned bits = needed + needed % 2;
    const std::uint64_t tweak = wire_get64(digest(use_tweak, parent).data()) + label.size();
    std::uint64_t number = *number_of(label);
    // A number that is too large for the label is permuted again, so that the whole stays a
    // permutation.
    do
        number = permute_number(number, bits, tweak);
    while (number >= numbers);
    for (std::size_t i = label.size(); i > 0; i--, number /= alphabet.size())
        label[i - 1] = static_cast<std::uint8_t>(alphabet[number % alphabet.size()]);
}

void NamePseudonyms::hash(std::span<std::uint8_t> label, std::string_view parent) const
{
    std::string octets(1, '\0'); // which digest; label and parent follow
    octets.append(label.begin(), label.end());
    octets.append(parent);
    Digest now{};
    for (std::size_t i = 0; i < label.size(); i++) {
        if (i % now.size() == 0) {
            octets[0] = static_cast<char>(i / now.size());
            now = digest(use_label, octets);
        }
        // Leaves out the hyphen, with which few labels begin.
        label[i] = static_cast<std::uint8_t>(alphabet[now[i % now.size()] % 36]);
    }
}

void NamePseudonyms::compute(std::span<std::uint8_t> name, const std::string &small) const
{
    std::ranges::copy(small, name.begin());
    for (std::size_t at = 0; name[at] != 0; at += 1 + std::size_t{name[at]}) {
        const std::span<const std::uint8_t> rest(
            reinterpret_cast<const std::uint8_t *>(small.data()) + at, small.size() - at);
        if (suffixes_.has(rest, PublicSuffixes::Section::all))
            return;
        const std::span<std::uint8_t> label = name.subspan(at + 1, name[at]);
        const std::string_view parent = std::string_view(small).substr(at + 1 + label.size());
        if (label.size() <= permuted_most && number_of(label))
            permute(label, parent);
        else
            hash(label, parent);
    }
}

void NamePseudonyms::replace(std::span<std::uint8_t> name)
{
    std::string small(name.size(), '\0');
    std::ranges::transform(name, small.begin(),
                           [](std::uint8_t octet) { return static_cast<char>(dns_fold(octet)); });
    const auto found = remembered_.find(small);
    if (found != remembered_.end()) {
        std::ranges::copy(found->second, name.begin());
        return;
    }
    compute(name, small);
    if (remembered_.size() == remembered_most)
        remembered_.clear();
    remembered_.emplace(std::move(small), std::string(name.begin(), name.end()));
}

} // namespace dnsgauge
