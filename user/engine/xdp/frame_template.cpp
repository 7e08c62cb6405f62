// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/frame_template.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

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
