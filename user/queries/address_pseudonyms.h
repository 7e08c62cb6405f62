// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pseudonyms of addresses, of both families, by Crypto-PAn (Xu, Fan, Ammar, Moon:
// "Prefix-preserving IP address anonymization", ICNP 2002). Two pseudonyms begin with as many equal
// bits as their originals.
#pragma once

#include "userland/ip_address.h"

#include <nettle/aes.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

namespace dnsgauge
{

class AddressPseudonyms
{
public:
    static constexpr std::size_t key_size = 32;

    explicit AddressPseudonyms(std::span<const std::uint8_t, key_size> key);

    [[nodiscard]] IpAddress of(const IpAddress &address);

private:
    static constexpr std::size_t remembered_most = 1'000'000;

    [[nodiscard]] IpAddress compute(const IpAddress &address) const;

    aes128_ctx cipher_{};
    std::array<std::uint8_t, AES_BLOCK_SIZE> pad_{};
    std::unordered_map<std::string, IpAddress> remembered_; // by octets
};

} // namespace dnsgauge
