// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/frames.h"

#include "userland/setup_error.h"

#include "wire/checksum.h"
#include "wire/packet.h"

#include <algorithm>
#include <cstring>
#include <string>

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

// Returns the checksum's sum over pseudo header and datagram, with zeros where patch() will write.
std::uint64_t constant_sum(std::span<const std::uint8_t> datagram, const std::uint8_t *addresses,
                           bool is_ipv6)
{
    std::vector<std::uint8_t> constant(datagram.begin(), datagram.end());
    std::fill_n(constant.begin(), 2, std::uint8_t{0}); // source port
    std::fill_n(constant.begin() + PACKET_UDP_CHECKSUM, 2, std::uint8_t{0});
    std::fill_n(constant.begin() + PACKET_UDP_SIZE, 2, std::uint8_t{0}); // transaction ID
    std::fill_n(constant.begin() + PACKET_UDP_SIZE + DNS_HEADER_SIZE, 1 + TEST_NAME_LABEL,
                std::uint8_t{0});
    const auto length = static_cast<std::uint32_t>(constant.size());
    const std::uint64_t pseudo = packet_pseudo_sum(addresses, is_ipv6 ? 1 : 0, length);
    return checksum_add(pseudo, wire_cursor{constant.data(), constant.data() + length},
                        PACKET_DATAGRAM_MAX);
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

MessageFrames::MessageFrames(const FrameEnds &ends, std::size_t longest)
{
    if (longest > longest_message)
        throw SetupError("a query of " + std::to_string(longest) +
                         " octets is longer than the Tester sends, " +
                         std::to_string(longest_message) + ": leave it out");
    const HeaderOffsets at = put_headers(OctetWriter(headers_), ends, PACKET_UDP_SIZE);
    addresses_ = at.addresses;
    layout_.ip_offset = static_cast<std::uint32_t>(at.ip);
    layout_.udp_offset = static_cast<std::uint32_t>(at.udp);
    layout_.is_ipv6 = ends.target.is_ipv6 ? 1 : 0;
    length_ = static_cast<std::uint32_t>(headers_.size() + longest);
}

FrameTemplate::FrameTemplate(const QueryFormat &format)
{
    const std::vector<std::uint8_t> message = name_message(format);
    const std::size_t udp_length = PACKET_UDP_SIZE + message.size();

    OctetWriter frame(bytes_);
    const HeaderOffsets at = put_headers(frame, format, udp_length);
    frame.put(message);

    udp_offset_ = at.udp;
    constant_sum_ = constant_sum(std::span(bytes_).subspan(udp_offset_),
                                 bytes_.data() + at.addresses, format.target.is_ipv6);
}

} // namespace dnsgauge
