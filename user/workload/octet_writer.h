// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

// Appends octets and big-endian numbers to `octets`, which must outlive the writer.
class OctetWriter
{
public:
    explicit OctetWriter(std::vector<std::uint8_t> &octets) : octets_(octets) {}

    void put(const auto &octets) { octets_.insert(octets_.end(), octets.begin(), octets.end()); }
    void put8(std::uint8_t value) { octets_.push_back(value); }
    void put16(std::size_t value)
    {
        put8(static_cast<std::uint8_t>(value >> 8U));
        put8(static_cast<std::uint8_t>(value));
    }
    void put_zeros(std::size_t count) { octets_.resize(octets_.size() + count); }

    [[nodiscard]] std::size_t size() const { return octets_.size(); }

private:
    std::vector<std::uint8_t> &octets_;
};

} // namespace dnsgauge
