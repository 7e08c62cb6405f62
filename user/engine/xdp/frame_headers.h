// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Ethernet, IP and UDP headers with which every frame of a query begins.
#pragma once

#include "userland/ip_address.h"
#include "workload/octet_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>

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

// Offsets of headers from the start of the frame.
struct HeaderOffsets {
    std::size_t ip = 0;
    std::size_t addresses = 0; // of the source's IP address; the target's follows
    std::size_t udp = 0;
};

// Appends the headers of a frame between `ends`, for a UDP datagram of `udp_length` octets, header
// included. UDP source port and UDP checksum are zero. Returns where the headers begin.
HeaderOffsets put_headers(OctetWriter frame, const FrameEnds &ends, std::size_t udp_length);

} // namespace dnsgauge
