// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/frames.h"

#include "system/setup_error.h"

#include "wire/checksum.h"
#include "wire/packet.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Returns where the source's IP address is in the frame.
__u32 addresses_in(const packet &at)
{
    return at.ip_offset + (at.is_ipv6 != 0 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
}

// Puts the headers of a frame between `ends` into `frame`, for a UDP datagram of `udp_length`
// octets, header included. UDP source port and UDP checksum are zero. Returns where the headers
// are.
packet put_headers(std::vector<std::uint8_t> &frame, const FrameEnds &ends, std::size_t udp_length)
{
    const bool is_ipv6 = ends.target.is_ipv6;
    OctetWriter writer(frame);
    writer.put(ends.target_mac);
    writer.put(ends.source_mac);
    if (ends.vlan) {
        writer.put16(PACKET_TYPE_VLAN);
        writer.put16(*ends.vlan);
    }
    writer.put16(is_ipv6 ? PACKET_TYPE_IPV6 : PACKET_TYPE_IPV4);
    packet at{.ip_offset = static_cast<__u32>(frame.size()),
              .is_ipv6 = is_ipv6 ? __u8{1} : __u8{0}};
    at.udp_offset = at.ip_offset + (is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE);
    frame.resize(at.udp_offset + PACKET_UDP_SIZE);
    std::uint8_t *const ip = frame.data() + at.ip_offset;
    std::uint8_t *const udp = frame.data() + at.udp_offset;
    ip[0] = is_ipv6 ? 0x60 : 0x45;
    ip[is_ipv6 ? PACKET_IPV6_NEXT : PACKET_IPV4_PROTOCOL] = PACKET_PROTOCOL_UDP;
    if (!is_ipv6) // with "don't fragment" the identification may be zero (RFC 6864)
        wire_put16(ip + PACKET_IPV4_FRAGMENT, 0x4000);
    auto *const target =
        std::ranges::copy(ends.source.octets(), frame.data() + addresses_in(at)).out;
    std::ranges::copy(ends.target.octets(), target);
    wire_put16(udp + PACKET_UDP_TARGET, ends.target_port);
    // The frame holds all headers, so it is never too short.
    static_cast<void>(packet_complete({frame.data(), frame.data() + frame.size()}, &at,
                                      static_cast<__u32>(udp_length - PACKET_UDP_SIZE), 0,
                                      PACKET_DATAGRAM_MAX));
    wire_put16(udp + PACKET_UDP_CHECKSUM, 0);
    return at;
}

// Returns the checksum's sum over pseudo header and datagram, with zeros where patch() writes:
// port, checksum and transaction ID are zero by now.
std::uint64_t constant_sum(std::span<const std::uint8_t> datagram, const std::uint8_t *addresses,
                           bool is_ipv6)
{
    std::vector<std::uint8_t> constant(datagram.begin(), datagram.end());
    std::fill_n(constant.begin() + PACKET_UDP_SIZE + DNS_HEADER_SIZE, 1 + TEST_NAME_LABEL,
                std::uint8_t{0});
    const auto length = static_cast<std::uint32_t>(constant.size());
    const std::uint64_t pseudo = packet_pseudo_sum(addresses, is_ipv6 ? 1 : 0, length);
    return checksum_add(pseudo, wire_cursor{constant.data(), constant.data() + length},
                        PACKET_DATAGRAM_MAX);
}

} // namespace

MessageFrames::MessageFrames(const FrameEnds &ends, std::size_t longest)
{
    if (longest > longest_message)
        throw SetupError("a query of {} octets is longer than the Tester sends, {}: leave it out",
                         longest, longest_message);
    layout_ = put_headers(headers_, ends, PACKET_UDP_SIZE);
    addresses_ = addresses_in(layout_);
    length_ = static_cast<std::uint32_t>(headers_.size() + longest);
}

FrameTemplate::FrameTemplate(const QueryFormat &format)
{
    const std::vector<std::uint8_t> message = name_message(format);
    const std::size_t udp_length = PACKET_UDP_SIZE + message.size();

    const packet at = put_headers(bytes_, format, udp_length);
    OctetWriter(bytes_).put(message);

    udp_offset_ = at.udp_offset;
    constant_sum_ = constant_sum(std::span(bytes_).subspan(udp_offset_),
                                 bytes_.data() + addresses_in(at), format.target.is_ipv6);
}

} // namespace dnsgauge
