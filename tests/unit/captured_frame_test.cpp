// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/captured_frame.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>
#include <pcap/dlt.h>

#include <algorithm>
#include <array>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

const Bytes content{'d', 'n', 's'};

CapturedFrame read(int link, const Bytes &octets, std::size_t length)
{
    // The payload points into the buffer.
    static ExactBuffer buffer{Bytes{}};
    buffer = ExactBuffer(octets);
    return read_frame(link, buffer.bytes(), length);
}

CapturedFrame read(int link, const Bytes &octets)
{
    return read(link, octets, octets.size());
}

// Is the frame understood as a datagram from port 40000 to port 53 with that content?
bool is_udp(const CapturedFrame &frame, bool is_ipv6)
{
    return frame.kind == FrameKind::udp && frame.source.address.is_ipv6 == is_ipv6 &&
           frame.target.address.is_ipv6 == is_ipv6 && frame.source.port == 40000 &&
           frame.target.port == 53 && std::ranges::equal(frame.payload, content);
}

Bytes operator+(Bytes first, const Bytes &second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// The packet of a frame without its Ethernet header.
Bytes bare(const Packet &packet)
{
    const Bytes frame = packet;
    return {frame.begin() + 14, frame.end()};
}

Bytes udp4()
{
    return bare(Ethernet{} / Ipv4{} / Udp{} / Payload{content});
}
Bytes udp6()
{
    return bare(Ethernet{} / Ipv6{} / Udp{} / Payload{content});
}

Bytes ethernet(std::uint16_t type, const Bytes &packet)
{
    return Bytes(12, 2) +
           Bytes{static_cast<std::uint8_t>(type >> 8U), static_cast<std::uint8_t>(type)} + packet;
}

// An IPv6 packet with extension headers, of which the first is of type `first`.
Bytes with_extensions(std::uint8_t first, const Bytes &extensions)
{
    const Bytes packet = udp6();
    const Bytes datagram(packet.begin() + 40, packet.end());
    return bare(Ethernet{} / Ipv6{.next_header = first} / Payload{extensions + datagram});
}

} // namespace

TEST_CASE("a datagram is found after the header of each link type")
{
    const Bytes cooked4 = Bytes(14, 0) + Bytes{8, 0} + udp4();
    const Bytes cooked6 = Bytes(14, 0) + Bytes{0x86, 0xdd} + udp6();
    const Bytes cooked_v2 = Bytes{0x86, 0xdd} + Bytes(18, 0) + udp6();
    CHECK(is_udp(read(DLT_EN10MB, ethernet(0x0800, udp4())), false));
    CHECK(is_udp(read(DLT_EN10MB, ethernet(0x86dd, udp6())), true));
    CHECK(is_udp(read(DLT_LINUX_SLL, cooked4), false));
    CHECK(is_udp(read(DLT_LINUX_SLL, cooked6), true));
    CHECK(is_udp(read(DLT_LINUX_SLL2, cooked_v2), true));
    CHECK(is_udp(read(DLT_RAW, udp4()), false));
    CHECK(is_udp(read(DLT_RAW, udp6()), true));
    CHECK(is_udp(read(DLT_NULL, Bytes{2, 0, 0, 0} + udp4()), false));
    CHECK(is_udp(read(DLT_NULL, Bytes{0, 0, 0, 30} + udp6()), true));
}

TEST_CASE("the link types follow libpcap's numbers")
{
    CHECK(is_link_known(DLT_EN10MB));
    CHECK(is_link_known(DLT_LINUX_SLL));
    CHECK(is_link_known(DLT_LINUX_SLL2));
    CHECK(is_link_known(DLT_RAW));
    CHECK(is_link_known(DLT_IPV6));
    CHECK(is_link_known(DLT_NULL));
    CHECK_FALSE(is_link_known(DLT_IEEE802_11));
}

TEST_CASE("VLAN tags are stepped over, one or several")
{
    const Bytes tag{0, 100, 0x81, 0x00};
    const Bytes last_tag{0, 100, 0x08, 0x00};
    CHECK(is_udp(read(DLT_EN10MB, ethernet(0x8100, last_tag + udp4())), false));
    CHECK(is_udp(read(DLT_EN10MB, ethernet(0x88a8, tag + last_tag + udp4())), false));
    Bytes endless;
    for (int i = 0; i < 100; i++)
        endless = endless + tag;
    CHECK(read(DLT_EN10MB, ethernet(0x8100, endless)).kind == FrameKind::other);
}

TEST_CASE("what follows a datagram, Ethernet's padding, is no part of it")
{
    CHECK(is_udp(read(DLT_EN10MB, ethernet(0x0800, udp4() + Bytes(20, 0))), false));
    CHECK(is_udp(read(DLT_EN10MB, ethernet(0x86dd, udp6() + Bytes(20, 0))), true));
}

TEST_CASE("options of IPv4 and extension headers of IPv6 are stepped over")
{
    Bytes packet = udp4();
    packet[0] = 0x46;
    packet[3] = static_cast<std::uint8_t>(packet[3] + 4);
    packet.insert(packet.begin() + 20, {1, 1, 1, 1});
    CHECK(is_udp(read(DLT_RAW, packet), false));

    const Bytes options{17, 0, 1, 4, 0, 0, 0, 0};
    const Bytes hop_and_destination = Bytes{60, 1} + Bytes(14, 0) + options;
    CHECK(is_udp(read(DLT_RAW, with_extensions(60, options)), true));
    CHECK(is_udp(read(DLT_RAW, with_extensions(0, hop_and_destination)), true));
    const Bytes authentication = Bytes{17, 1} + Bytes(10, 0);
    CHECK(is_udp(read(DLT_RAW, with_extensions(51, authentication)), true));
    const Bytes atomic_fragment{17, 0, 0, 0, 1, 2, 3, 4};
    CHECK(is_udp(read(DLT_RAW, with_extensions(44, atomic_fragment)), true));
}

TEST_CASE("fragments are told")
{
    for (const std::uint16_t fragment : std::array<std::uint16_t, 3>{0x2000, 0x0001, 0x1fff}) {
        const Packet packet = Ethernet{} / Ipv4{.fragment = fragment} / Udp{} / Payload{content};
        CHECK(read(DLT_EN10MB, packet).kind == FrameKind::fragment);
    }
    for (const std::uint8_t low : std::array<std::uint8_t, 2>{0x01, 0x08})
        CHECK(read(DLT_RAW, with_extensions(44, {17, 0, 0, low, 1, 2, 3, 4})).kind ==
              FrameKind::fragment);
}

TEST_CASE("a frame that was captured in part is told from one that is wrong")
{
    for (const Bytes &packet : {udp4(), udp6()}) {
        for (std::size_t kept = 0; kept < packet.size(); kept++) {
            CAPTURE(kept);
            const Bytes part(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(kept));
            CHECK(read(DLT_RAW, part, packet.size()).kind == FrameKind::cut);
            CHECK(read(DLT_RAW, part).kind == FrameKind::other);
        }
    }
}

TEST_CASE("headers that contradict each other are no datagram")
{
    const auto kind = [](const Packet &packet) { return read(DLT_EN10MB, packet).kind; };
    CHECK(kind(Ethernet{} / Ipv4{.length = 19} / Udp{} / Payload{content}) == FrameKind::other);
    CHECK(kind(Ethernet{} / Ipv4{.length = 32} / Udp{} / Payload{content}) == FrameKind::other);
    CHECK(kind(Ethernet{} / Ipv4{.version_and_words = 0x44} / Udp{} / Payload{content}) ==
          FrameKind::other);
    CHECK(kind(Ethernet{} / Ipv6{.length = 12} / Udp{} / Payload{content}) == FrameKind::other);
    CHECK(kind(Ethernet{} / Ipv4{} / Udp{.length = 7} / Payload{content}) == FrameKind::other);
    CHECK(kind(Ethernet{} / Ipv4{} / Udp{.length = 12} / Payload{content}) == FrameKind::other);
    CHECK(kind(Ethernet{.type = 0x0806} / Ipv4{} / Udp{} / Payload{content}) == FrameKind::other);
}

TEST_CASE("a TCP segment has what follows its header")
{
    const Bytes header = Bytes{0x9c, 0x40, 0, 53} + Bytes(8, 0) + Bytes{0x60} + Bytes(11, 0);
    const Packet packet = Ethernet{} / Ipv4{.protocol = 6} / Payload{header + content};
    const CapturedFrame frame = read(DLT_EN10MB, packet);
    CHECK(frame.kind == FrameKind::tcp);
    CHECK(frame.source.port == 40000);
    CHECK(frame.target.port == 53);
    CHECK(std::ranges::equal(frame.payload, content));
}
