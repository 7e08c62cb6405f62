// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Ethernet, IP and UDP headers with which every frame of a query begins.
#pragma once

#include "userland/ip_address.h"

#include "wire/bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dnsgauge
{

// The addresses that a query's frame comes from and goes to.
struct FrameEnds {
    MacAddress source_mac{};
    MacAddress target_mac{};
    std::optional<std::uint16_t> vlan; // IEEE 802.1Q identifier, 1..4094
    IpAddress source;
    IpAddress target; // of the same family
    std::uint16_t target_port = 53;
};

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

// Offsets of headers from the start of the frame.
struct HeaderOffsets {
    std::size_t ip = 0;
    std::size_t addresses = 0; // of the source's IP address; the target's follows
    std::size_t udp = 0;
};

// Appends the headers of a frame between `ends`, for a UDP datagram of `udp_length` octets, header
// included. UDP source port and UDP checksum are zero. Returns where the headers begin.
HeaderOffsets put_headers(OctetWriter &frame, const FrameEnds &ends, std::size_t udp_length);

} // namespace dnsgauge
