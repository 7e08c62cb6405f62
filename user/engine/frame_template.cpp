// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/frame_template.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace dnsgauge
{

namespace
{

// Appends to a frame what stands in it, from the outside inwards.
class FrameWriter
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

std::vector<std::uint8_t> dns_message(const QueryFormat &format)
{
    FrameWriter message;
    message.put16(0); // the ID is patched
    message.put16(format.recursion_desired ? DNS_RD : 0);
    message.put16(1);
    message.put_zeros(4);
    message.put16(format.edns_size ? 1 : 0);

    std::array<std::uint8_t, 1 + TEST_NAME_LABEL> label{TEST_NAME_LABEL};
    test_name_write(label.data() + 1, 0);
    message.put(label);
    message.put(std::span(format.zone.wire).first(format.zone.length));
    message.put16(format.type);
    message.put16(DNS_CLASS_IN);

    if (format.edns_size) {
        message.put8(0);
        message.put16(DNS_TYPE_OPT);
        message.put16(*format.edns_size);
        message.put16(0);
        message.put16(format.dnssec_ok ? DNS_OPT_DO : 0);
        message.put16(0);
    }
    return message.take();
}

void put_ethernet(FrameWriter &frame, const QueryFormat &format)
{
    frame.put(format.target_mac);
    frame.put(format.source_mac);
    if (format.vlan) {
        frame.put16(PACKET_TYPE_VLAN);
        frame.put16(*format.vlan);
    }
    frame.put16(format.target.is_ipv6 ? PACKET_TYPE_IPV6 : PACKET_TYPE_IPV4);
}

void put_ipv4(FrameWriter &frame, const QueryFormat &format, std::size_t udp_length)
{
    FrameWriter header;
    header.put8(0x45);
    header.put8(0);
    header.put16(static_cast<std::uint16_t>(PACKET_IPV4_SIZE + udp_length));
    header.put16(0);
    header.put16(0x4000); // don't fragment: then the identification may be zero (RFC 6864)
    header.put8(PACKET_HOP_LIMIT);
    header.put8(PACKET_PROTOCOL_UDP);
    header.put16(0);
    header.put(std::span(format.source.bytes).first(4));
    header.put(std::span(format.target.bytes).first(4));

    std::vector<std::uint8_t> bytes = header.take();
    const std::uint16_t field = checksum_field(checksum_add(
        0, wire_cursor{bytes.data(), bytes.data() + bytes.size()}, PACKET_IPV4_SIZE + 7));
    std::memcpy(bytes.data() + PACKET_IPV4_CHECKSUM, &field, sizeof(field));
    frame.put(bytes);
}

void put_ipv6(FrameWriter &frame, const QueryFormat &format, std::size_t udp_length)
{
    frame.put8(0x60);
    frame.put_zeros(3);
    frame.put16(static_cast<std::uint16_t>(udp_length));
    frame.put8(PACKET_PROTOCOL_UDP);
    frame.put8(PACKET_HOP_LIMIT);
    frame.put(format.source.bytes);
    frame.put(format.target.bytes);
}

// The sum over pseudo header and datagram with zeros where patch() writes.
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
    const std::vector<std::uint8_t> message = dns_message(format);
    const std::size_t udp_length = PACKET_UDP_SIZE + message.size();

    FrameWriter frame;
    put_ethernet(frame, format);
    const std::size_t ip_offset = frame.size();
    if (format.target.is_ipv6)
        put_ipv6(frame, format, udp_length);
    else
        put_ipv4(frame, format, udp_length);
    udp_offset_ = frame.size();
    frame.put16(0); // the source port is patched
    frame.put16(format.target_port);
    frame.put16(static_cast<std::uint16_t>(udp_length));
    frame.put16(0); // so is the checksum
    frame.put(message);

    bytes_ = frame.take();
    const std::size_t addresses =
        ip_offset + (format.target.is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    constant_sum_ = constant_sum(std::span(bytes_).subspan(udp_offset_), bytes_.data() + addresses,
                                 format.target.is_ipv6);
}

} // namespace dnsgauge
