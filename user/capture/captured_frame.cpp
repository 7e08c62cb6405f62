// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/captured_frame.h"

#include "wire/packet.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pcap/dlt.h>

#include <algorithm>
#include <array>

namespace dnsgauge
{

namespace
{

using Octets = std::span<const std::uint8_t>;

constexpr unsigned tags_most = 8;
constexpr unsigned extensions_most = 16;

constexpr std::size_t tcp_size = 20;
constexpr std::size_t tcp_sequence_at = 4;
constexpr std::size_t tcp_words_at = 12;
constexpr std::size_t tcp_flags_at = 13;

// The rest of a frame that has not been read yet. A missing header was cut off, or was never there.
class Rest
{
public:
    Rest(Octets octets, std::size_t length)
        : octets_(octets.first(std::min(octets.size(), length))), length_(length)
    {
    }

    [[nodiscard]] bool has(std::size_t size) const { return octets_.size() >= size; }
    [[nodiscard]] FrameKind kind_without(std::size_t size) const
    {
        return length_ >= size ? FrameKind::cut : FrameKind::other;
    }
    void skip(std::size_t size)
    {
        octets_ = octets_.subspan(size);
        length_ -= size;
    }
    // Drops all octets after the first `size`.
    void limit(std::size_t size)
    {
        length_ = std::min(length_, size);
        octets_ = octets_.first(std::min(octets_.size(), size));
    }

    [[nodiscard]] Octets octets() const { return octets_; }
    [[nodiscard]] std::size_t length() const { return length_; }
    [[nodiscard]] const std::uint8_t *at(std::size_t offset) const
    {
        return octets_.data() + offset;
    }

private:
    Octets octets_;
    std::size_t length_;
};

// What a step of read_frame() found: the kind of a frame that goes no further, or nothing.
using Stop = std::optional<FrameKind>;

bool is_tag(unsigned type)
{
    return type == PACKET_TYPE_VLAN || type == ETH_P_8021AD || type == ETH_P_QINQ1;
}

// What stands before the IP header: its size, and where it tells what follows, if it does.
struct LinkHeader {
    int link;
    std::size_t size;
    std::optional<std::size_t> type_at;
};
constexpr std::array<LinkHeader, 8> link_headers{
    {{DLT_EN10MB, PACKET_ETHERNET_SIZE, PACKET_ETHERNET_SIZE - 2},
     {DLT_LINUX_SLL, 16, 14},
     {DLT_LINUX_SLL2, 20, 0},
     {DLT_RAW, 0, {}},
     {DLT_IPV4, 0, {}},
     {DLT_IPV6, 0, {}},
     {DLT_NULL, 4, {}},
     {DLT_LOOP, 4, {}}}};

Stop skip_link(int link, Rest &rest)
{
    const LinkHeader &header = *std::ranges::find(link_headers, link, &LinkHeader::link);
    if (!rest.has(header.size))
        return rest.kind_without(header.size);
    unsigned type = header.type_at ? wire_get16(rest.at(*header.type_at)) : 0;
    rest.skip(header.size);
    if (!header.type_at)
        return {};
    for (unsigned tags = 0; is_tag(type) && tags < tags_most; tags++) {
        if (!rest.has(PACKET_VLAN_SIZE))
            return rest.kind_without(PACKET_VLAN_SIZE);
        type = wire_get16(rest.at(2));
        rest.skip(PACKET_VLAN_SIZE);
    }
    if (type != PACKET_TYPE_IPV4 && type != PACKET_TYPE_IPV6)
        return FrameKind::other;
    return {};
}

void put_address(IpAddress &address, const std::uint8_t *octets, bool is_ipv6)
{
    std::copy_n(octets, is_ipv6 ? 16 : 4, address.bytes.begin());
    address.is_ipv6 = is_ipv6;
}

Stop read_ipv4(Rest &rest, CapturedFrame &frame, unsigned &protocol)
{
    if (!rest.has(PACKET_IPV4_SIZE))
        return rest.kind_without(PACKET_IPV4_SIZE);
    const std::size_t header = std::size_t{4} * (*rest.at(0) & 15U);
    const std::size_t length = wire_get16(rest.at(PACKET_IPV4_LENGTH));
    if (header < PACKET_IPV4_SIZE || length < header || length > rest.length())
        return FrameKind::other;
    if ((wire_get16(rest.at(PACKET_IPV4_FRAGMENT)) & 0x3fffU) != 0)
        return FrameKind::fragment;
    protocol = *rest.at(PACKET_IPV4_PROTOCOL);
    put_address(frame.source.address, rest.at(PACKET_IPV4_SOURCE), false);
    put_address(frame.target.address, rest.at(PACKET_IPV4_TARGET), false);
    rest.limit(length);
    if (!rest.has(header))
        return rest.kind_without(header);
    rest.skip(header);
    return {};
}

// Steps over the extension headers, the first of which `protocol` names.
Stop skip_extensions(Rest &rest, unsigned &protocol)
{
    constexpr std::size_t least = 8;
    for (unsigned i = 0; i < extensions_most; i++) {
        const bool is_fragment = protocol == IPPROTO_FRAGMENT;
        const bool is_authentication = protocol == IPPROTO_AH;
        if (!is_fragment && !is_authentication && protocol != IPPROTO_HOPOPTS &&
            protocol != IPPROTO_ROUTING && protocol != IPPROTO_DSTOPTS)
            break;
        if (!rest.has(least))
            return rest.kind_without(least);
        // A fragment that is the only one is a whole packet (RFC 6946).
        if (is_fragment && (wire_get16(rest.at(2)) & 0xfff9U) != 0)
            return FrameKind::fragment;
        const std::size_t units = *rest.at(1);
        const std::size_t size = is_fragment         ? least
                                 : is_authentication ? (units + 2) * 4
                                                     : (units + 1) * 8;
        if (!rest.has(size))
            return rest.kind_without(size);
        protocol = *rest.at(0);
        rest.skip(size);
    }
    return {};
}

Stop read_ipv6(Rest &rest, CapturedFrame &frame, unsigned &protocol)
{
    if (!rest.has(PACKET_IPV6_SIZE))
        return rest.kind_without(PACKET_IPV6_SIZE);
    const std::size_t length = wire_get16(rest.at(PACKET_IPV6_LENGTH));
    if (PACKET_IPV6_SIZE + length > rest.length())
        return FrameKind::other;
    protocol = *rest.at(PACKET_IPV6_NEXT);
    put_address(frame.source.address, rest.at(PACKET_IPV6_SOURCE), true);
    put_address(frame.target.address, rest.at(PACKET_IPV6_TARGET), true);
    rest.limit(PACKET_IPV6_SIZE + length);
    rest.skip(PACKET_IPV6_SIZE);
    return skip_extensions(rest, protocol);
}

void read_ports(const Rest &rest, CapturedFrame &frame)
{
    frame.source.port = wire_get16(rest.at(0));
    frame.target.port = wire_get16(rest.at(PACKET_UDP_TARGET));
}

FrameKind read_udp(Rest &rest, CapturedFrame &frame)
{
    if (!rest.has(PACKET_UDP_SIZE))
        return rest.kind_without(PACKET_UDP_SIZE);
    const std::size_t length = wire_get16(rest.at(PACKET_UDP_LENGTH));
    if (length < PACKET_UDP_SIZE || length > rest.length())
        return FrameKind::other;
    read_ports(rest, frame);
    if (!rest.has(length))
        return FrameKind::cut;
    frame.payload = rest.octets().subspan(PACKET_UDP_SIZE, length - PACKET_UDP_SIZE);
    return FrameKind::udp;
}

FrameKind read_tcp(Rest &rest, CapturedFrame &frame)
{
    if (!rest.has(tcp_size))
        return rest.kind_without(tcp_size);
    const std::size_t header = std::size_t{4} * (*rest.at(tcp_words_at) >> 4U);
    if (header < tcp_size || header > rest.length())
        return FrameKind::other;
    read_ports(rest, frame);
    if (!rest.has(rest.length()))
        return FrameKind::cut;
    frame.payload = rest.octets().subspan(header);
    const unsigned flags = *rest.at(tcp_flags_at);
    frame.sequence = wire_get32(rest.at(tcp_sequence_at));
    frame.is_first = (flags & TH_SYN) != 0;
    frame.is_last = (flags & (TH_FIN | TH_RST)) != 0;
    return FrameKind::tcp;
}

} // namespace

bool is_link_known(int link)
{
    return std::ranges::count(link_headers, link, &LinkHeader::link) != 0;
}

CapturedFrame read_frame(int link, Octets octets, std::size_t length)
{
    CapturedFrame frame;
    Rest rest(octets, length);
    unsigned protocol = 0;
    Stop stop = skip_link(link, rest);
    if (!stop && !rest.has(1))
        stop = rest.kind_without(1);
    if (!stop) {
        const unsigned version = *rest.at(0) >> 4U;
        stop = version == 4   ? read_ipv4(rest, frame, protocol)
               : version == 6 ? read_ipv6(rest, frame, protocol)
                              : FrameKind::other;
    }
    if (stop)
        frame.kind = *stop;
    else if (protocol == PACKET_PROTOCOL_UDP)
        frame.kind = read_udp(rest, frame);
    else if (protocol == IPPROTO_TCP)
        frame.kind = read_tcp(rest, frame);
    return frame;
}

} // namespace dnsgauge
