// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/address_pseudonyms.h"

namespace dnsgauge
{

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

} // namespace dnsgauge
