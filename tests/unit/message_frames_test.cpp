// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Frames of arbitrary messages, written one over the other as a sender does.
#include "support/plain_sum.h"
#include "system/setup_error.h"
#include "xdp/frames.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

using namespace dnsgauge;

namespace
{

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint16_t some_port = 0x8001;
constexpr std::uint16_t some_id = 0xbeef;

FrameEnds ends(bool is_ipv6)
{
    FrameEnds ends;
    ends.source_mac = parse_mac_address("02:00:00:00:00:01");
    ends.target_mac = parse_mac_address("02:00:00:00:00:53");
    ends.source = parse_ip_address(is_ipv6 ? "2001:2::1" : "198.18.0.1");
    ends.target = parse_ip_address(is_ipv6 ? "2001:2::2" : "198.18.0.2");
    return ends;
}

Bytes octets(std::size_t size)
{
    Bytes bytes(size);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0x80});
    return bytes;
}

// The IPv4 header's and the datagram's own sums, both 0xffff where they are right.
std::array<std::uint32_t, 2> sums(const Bytes &frame, std::size_t ip, bool is_ipv6)
{
    const std::size_t udp = ip + (is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE);
    const std::size_t addresses = ip + (is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    const std::span all(frame);
    const auto length = static_cast<std::uint32_t>(frame.size() - udp);
    const std::uint32_t pseudo =
        plain_sum(all.subspan(addresses, is_ipv6 ? 32 : 8), PACKET_PROTOCOL_UDP + length);
    return {is_ipv6 ? 0xffff : plain_sum(all.subspan(ip, PACKET_IPV4_SIZE)),
            plain_sum(all.subspan(udp), pseudo)};
}

} // namespace

TEST_CASE("a message of any length goes out whole, from its own address, with full checksums")
{
    const bool is_ipv6 = GENERATE(false, true);
    const auto vlan = GENERATE(std::optional<std::uint16_t>{}, std::optional<std::uint16_t>{7});
    FrameEnds between = ends(is_ipv6);
    between.vlan = vlan;
    const MessageFrames frames(between, MessageFrames::longest_message);
    Bytes memory(2048, 0xee);
    frames.prepare(memory.data());
    IpAddress source = between.source;
    // Long and short in turn: what an earlier query left must not matter.
    for (const std::size_t size :
         {MessageFrames::longest_message, std::size_t{12}, std::size_t{2}, std::size_t{271},
          std::size_t{17}, std::size_t{512}, std::size_t{511}}) {
        const Bytes message = octets(size);
        source.bytes.at(is_ipv6 ? 15 : 3)++;
        const std::uint32_t length =
            frames.write(memory.data(), some_port, some_id,
                         {.message = message, .due_ns = 0, .source = source, .expectation = 0});
        Bytes frame(memory.begin(), memory.begin() + length);

        wire_cursor cursor{frame.data(), frame.data() + frame.size()};
        packet head{};
        REQUIRE(packet_read(&cursor, &head) == PACKET_UDP);
        CHECK(packet_padding(&head, length) == 0);
        CHECK(head.udp_length == PACKET_UDP_SIZE + size);
        CHECK(head.source_port == some_port);
        CHECK(head.target_port == 53);
        REQUIRE(static_cast<std::size_t>(cursor.end - cursor.pos) == size);
        CHECK(wire_get16(cursor.pos) == some_id);
        CHECK(std::equal(cursor.pos + 2, cursor.end, message.begin() + 2, message.end()));
        const std::size_t addresses =
            head.ip_offset + (is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
        CHECK(std::equal(source.bytes.begin(), source.bytes.begin() + (is_ipv6 ? 16 : 4),
                         frame.begin() + static_cast<std::ptrdiff_t>(addresses)));
        CHECK(sums(frame, head.ip_offset, is_ipv6) == std::array<std::uint32_t, 2>{0xffff, 0xffff});
        CHECK(wire_raw16(frame.data() + head.udp_offset + PACKET_UDP_CHECKSUM) != 0);
    }
}

TEST_CASE("the message of a test name becomes the frame that its template makes")
{
    const bool is_ipv6 = GENERATE(false, true);
    QueryFormat format;
    static_cast<FrameEnds &>(format) = ends(is_ipv6);
    format.zone = parse_zone_name("dns64perf.test");
    format.edns_size = 1232;
    const FrameTemplate by_name(format);
    Bytes expected(by_name.length());
    by_name.prepare(expected.data());
    const NameQuery query{.due_ns = 0, .expectation = 0x0a0200ff};
    REQUIRE(by_name.write(expected.data(), some_port, some_id, query) == expected.size());

    const std::size_t headers =
        PACKET_ETHERNET_SIZE + (is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE) + PACKET_UDP_SIZE;
    const MessageFrames frames(format, expected.size() - headers);
    Bytes frame(frames.length());
    frames.prepare(frame.data());
    CHECK(frames.write(frame.data(), some_port, some_id,
                       {.message = std::span(expected).subspan(headers),
                        .due_ns = 0,
                        .source = format.source,
                        .expectation = 0}) == expected.size());
    CHECK(frame == expected);
}

TEST_CASE("a message that fits no frame is refused beforehand")
{
    CHECK_THROWS_AS(MessageFrames(ends(false), MessageFrames::longest_message + 1), SetupError);
}
