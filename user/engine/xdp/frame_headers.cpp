// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/frame_headers.h"

#include "wire/checksum.h"
#include "wire/packet.h"

#include <cstring>

namespace dnsgauge
{

namespace
{

void put_ethernet(OctetWriter frame, const FrameEnds &ends)
{
    frame.put(ends.target_mac);
    frame.put(ends.source_mac);
    if (ends.vlan) {
        frame.put16(PACKET_TYPE_VLAN);
        frame.put16(*ends.vlan);
    }
    frame.put16(ends.target.is_ipv6 ? PACKET_TYPE_IPV6 : PACKET_TYPE_IPV4);
}

void put_ipv4(OctetWriter frame, const FrameEnds &ends, std::size_t udp_length)
{
    std::vector<std::uint8_t> bytes;
    OctetWriter header(bytes);
    header.put8(0x45);
    header.put8(0);
    header.put16(PACKET_IPV4_SIZE + udp_length);
    header.put16(0);
    header.put16(0x4000); // don't fragment: then the identification may be zero (RFC 6864)
    header.put8(PACKET_HOP_LIMIT);
    header.put8(PACKET_PROTOCOL_UDP);
    header.put16(0);
    header.put(std::span(ends.source.bytes).first(4));
    header.put(std::span(ends.target.bytes).first(4));

    const std::uint16_t field = checksum_field(checksum_add(
        0, wire_cursor{bytes.data(), bytes.data() + bytes.size()}, PACKET_IPV4_SIZE + 7));
    std::memcpy(bytes.data() + PACKET_IPV4_CHECKSUM, &field, sizeof(field));
    frame.put(bytes);
}

void put_ipv6(OctetWriter frame, const FrameEnds &ends, std::size_t udp_length)
{
    frame.put8(0x60);
    frame.put_zeros(3);
    frame.put16(udp_length);
    frame.put8(PACKET_PROTOCOL_UDP);
    frame.put8(PACKET_HOP_LIMIT);
    frame.put(ends.source.bytes);
    frame.put(ends.target.bytes);
}

} // namespace

HeaderOffsets put_headers(OctetWriter frame, const FrameEnds &ends, std::size_t udp_length)
{
    HeaderOffsets at;
    put_ethernet(frame, ends);
    at.ip = frame.size();
    at.addresses = at.ip + (ends.target.is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    if (ends.target.is_ipv6)
        put_ipv6(frame, ends, udp_length);
    else
        put_ipv4(frame, ends, udp_length);
    at.udp = frame.size();
    frame.put16(0); // the source port
    frame.put16(ends.target_port);
    frame.put16(udp_length);
    frame.put16(0); // the checksum
    return at;
}

} // namespace dnsgauge
