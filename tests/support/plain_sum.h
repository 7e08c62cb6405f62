// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A reference for checksums that shares nothing with wire/checksum.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

// Returns the sum that RFC 1071 describes, one 16-bit word after the other: 0xffff for a span that
// holds its own right checksum.
inline std::uint32_t plain_sum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0)
{
    for (std::size_t i = 0; i < bytes.size(); i++)
        sum += i % 2 == 0 ? static_cast<std::uint32_t>(bytes[i]) << 8U : bytes[i];
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16U);
    return sum;
}

} // namespace dnsgauge
