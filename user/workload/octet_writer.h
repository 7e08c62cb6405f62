// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "wire/bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Collects octets and big-endian numbers.
class OctetWriter
{
public:
    void put(std::span<const std::uint8_t> bytes)
    {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void put8(std::uint8_t value) { bytes_.push_back(value); }
    void put16(std::uint16_t value)
    {
        std::array<std::uint8_t, 2> bytes{};
        wire_put16(bytes.data(), value);
        put(bytes);
    }
    void put_zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

private:
    std::vector<std::uint8_t> bytes_;
};

} // namespace dnsgauge
