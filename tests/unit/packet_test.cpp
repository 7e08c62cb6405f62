// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/packet.h"

#include "support/exact_buffer.h"
#include "support/fixtures.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <random>

using namespace dnsgauge::testing;

namespace
{

const Payload hello{{'h', 'e', 'l', 'l', 'o'}};

// The four ways in which a frame may carry a datagram.
std::vector<Packet> plain_packets(const Udp &udp = {}, const Payload &payload = hello)
{
    return {Ethernet{} / Ipv4{} / udp / payload, Ethernet{} / Vlan{} / Ipv4{} / udp / payload,
            Ethernet{} / Ipv6{} / udp / payload, Ethernet{} / Vlan{} / Ipv6{} / udp / payload};
}

packet_kind kind_of(const Bytes &frame)
{
    const ExactBuffer buffer(frame);
    wire_cursor cursor = buffer.cursor();
    packet packet{};
    const packet_kind kind = packet_read(&cursor, &packet);
    if (kind != PACKET_UDP)
        REQUIRE(cursor.pos == buffer.bytes().data());
    return kind;
}

bool checksum_ok(const Bytes &frame)
{
    const ExactBuffer buffer(frame);
    wire_cursor cursor = buffer.cursor();
    packet packet{};
    REQUIRE(packet_read(&cursor, &packet) == PACKET_UDP);
    std::uint8_t *start = buffer.bytes().data();
    const std::uint32_t addresses =
        packet.ip_offset + (packet.is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    const wire_cursor udp{.pos = start + packet.udp_offset,
                          .end = start + packet.udp_offset + packet.udp_length};
    return packet_checksum_ok(udp, start + addresses, packet.is_ipv6, packet.udp_length);
}

// Returns `frame`, turned around by the code under test, with `payload` in place of its payload.
Bytes turned(const Bytes &frame, const Bytes &payload)
{
    const ExactBuffer query(frame);
    wire_cursor cursor = query.cursor();
    packet packet{};
    REQUIRE(packet_read(&cursor, &packet) == PACKET_UDP);
    Bytes longer(frame.begin(), frame.begin() + packet.udp_offset + PACKET_UDP_SIZE);
    longer.insert(longer.end(), payload.begin(), payload.end());
    const ExactBuffer reply(longer);
    REQUIRE(
        packet_turn_around(reply.cursor(), &packet, static_cast<std::uint32_t>(payload.size())));
    return {reply.bytes().begin(), reply.bytes().end()};
}

} // namespace

TEST_CASE("plain datagrams are read in both families, tagged or not")
{
    const std::array<std::uint32_t, 4> ip_offsets = {14, 18, 14, 18};
    const std::array<std::uint32_t, 4> udp_offsets = {34, 38, 54, 58};
    const auto packets = plain_packets({.source_port = 40123, .target_port = 5353});
    for (std::size_t i = 0; i < packets.size(); i++) {
        const ExactBuffer buffer(packets[i].bytes());
        wire_cursor cursor = buffer.cursor();
        packet packet{};
        REQUIRE(packet_read(&cursor, &packet) == PACKET_UDP);
        CHECK(packet.ip_offset == ip_offsets[i]);
        CHECK(packet.udp_offset == udp_offsets[i]);
        CHECK(packet.udp_length == 8 + hello.bytes.size());
        CHECK(packet.source_port == 40123);
        CHECK(packet.target_port == 5353);
        CHECK(bool(packet.is_ipv6) == (i >= 2));
        CHECK(cursor.pos == buffer.bytes().data() + udp_offsets[i] + 8);
        CHECK(cursor.end == buffer.cursor().end);
        CHECK(packet_padding(&packet, static_cast<std::uint32_t>(buffer.bytes().size())) == 0);
    }
}

TEST_CASE("a frame cut before the end of its UDP header is not read, one cut after it is")
{
    for (const Packet &packet : plain_packets()) {
        const Bytes whole = packet;
        const std::size_t headers = whole.size() - hello.bytes.size();
        for (std::size_t size = 0; size <= whole.size(); size++) {
            const ExactBuffer buffer(whole, size);
            wire_cursor cursor = buffer.cursor();
            ::packet read{};
            const packet_kind kind = packet_read(&cursor, &read);
            REQUIRE((kind == PACKET_UDP) == (size >= headers));
            if (kind == PACKET_UDP) {
                REQUIRE(packet_padding(&read, static_cast<std::uint32_t>(size)) ==
                        static_cast<int>(size) - static_cast<int>(whole.size()));
            } else {
                REQUIRE(kind == PACKET_OTHER);
                REQUIRE(cursor.pos == buffer.bytes().data());
            }
        }
    }
}

TEST_CASE("Ethernet padding is told from the datagram")
{
    for (const Packet &packet : plain_packets()) {
        const Bytes whole = packet;
        for (const int padding : {1, 13, 100}) {
            const ExactBuffer buffer(whole, whole.size() + static_cast<std::size_t>(padding));
            wire_cursor cursor = buffer.cursor();
            ::packet read{};
            REQUIRE(packet_read(&cursor, &read) == PACKET_UDP);
            CHECK(packet_padding(&read, static_cast<std::uint32_t>(buffer.bytes().size())) ==
                  padding);
        }
    }
}

TEST_CASE("only the Ethernet types of IPv4, IPv6 and one tag before them are read")
{
    for (std::uint32_t type = 0; type < 0x10000; type++) {
        const auto value = static_cast<std::uint16_t>(type);
        REQUIRE((kind_of(Ethernet{.type = value} / Ipv4{} / Udp{} / hello) == PACKET_UDP) ==
                (type == 0x0800));
        REQUIRE((kind_of(Ethernet{} / Vlan{.type = value} / Ipv6{} / Udp{} / hello) ==
                 PACKET_UDP) == (type == 0x86dd));
    }
}

TEST_CASE("two VLAN tags are the kernel's business")
{
    CHECK(kind_of(Ethernet{} / Vlan{} / Vlan{} / Ipv4{} / Udp{} / hello) == PACKET_OTHER);
    CHECK(kind_of(Ethernet{.type = 0x88a8} / Vlan{} / Ipv4{} / Udp{} / hello) == PACKET_OTHER);
}

TEST_CASE("an IPv4 header is read only if its version is 4 and its length 5 words")
{
    for (int value = 0; value < 256; value++) {
        const Ipv4 ip{.version_and_words = static_cast<std::uint8_t>(value)};
        REQUIRE(kind_of(Ethernet{} / ip / Udp{} / hello) ==
                (value == 0x45 ? PACKET_UDP : PACKET_OTHER));
    }
}

TEST_CASE("only IP version 6 is read as IPv6, with any class and flow label")
{
    for (std::uint32_t version = 0; version < 16; version++)
        for (const std::uint32_t rest : {0U, 0x0fffffffU}) {
            const Ipv6 ip{.version_class_and_flow = version << 28 | rest};
            REQUIRE(kind_of(Ethernet{} / ip / Udp{} / hello) ==
                    (version == 6 ? PACKET_UDP : PACKET_OTHER));
        }
}

TEST_CASE("only UDP is read, and IPv6's fragment header is known")
{
    for (int protocol = 0; protocol < 256; protocol++) {
        const auto value = static_cast<std::uint8_t>(protocol);
        REQUIRE(kind_of(Ethernet{} / Ipv4{.protocol = value} / Udp{} / hello) ==
                (protocol == 17 ? PACKET_UDP : PACKET_OTHER));
        REQUIRE(kind_of(Ethernet{} / Ipv6{.next_header = value} / Udp{} / hello) ==
                (protocol == 17   ? PACKET_UDP
                 : protocol == 44 ? PACKET_FRAGMENT
                                  : PACKET_OTHER));
    }
}

TEST_CASE("every offset and the more-fragments flag make a fragment, don't-fragment does not")
{
    for (std::uint32_t field = 0; field < 0x10000; field++) {
        const Ipv4 ip{.fragment = static_cast<std::uint16_t>(field)};
        REQUIRE(kind_of(Ethernet{} / ip / Udp{} / hello) ==
                (field & 0x3fff ? PACKET_FRAGMENT : PACKET_UDP));
    }
}

TEST_CASE("lengths that disagree are not believed")
{
    const std::uint16_t udp_length = 8 + 5;
    for (std::uint32_t value = 0; value < 0x10000; value++) {
        const auto length = static_cast<std::uint16_t>(value);
        REQUIRE((kind_of(Ethernet{} / Ipv4{.length = length} / Udp{} / hello) == PACKET_UDP) ==
                (value == 20U + udp_length));
        REQUIRE((kind_of(Ethernet{} / Ipv6{.length = length} / Udp{} / hello) == PACKET_UDP) ==
                (value == udp_length));
        REQUIRE((kind_of(Ethernet{} / Ipv4{} / Udp{.length = length} / hello) == PACKET_UDP) ==
                (value == udp_length));
    }
}

TEST_CASE("lengths that agree on less than a UDP header are not believed")
{
    for (std::uint16_t length = 0; length < 8; length++) {
        const auto ip_length = static_cast<std::uint16_t>(20 + length);
        CHECK(kind_of(Ethernet{} / Ipv4{.length = ip_length} / Udp{.length = length} / hello) ==
              PACKET_OTHER);
        CHECK(kind_of(Ethernet{} / Ipv6{.length = length} / Udp{.length = length} / hello) ==
              PACKET_OTHER);
    }
}

TEST_CASE("lengths that agree on more than the frame holds show as negative padding")
{
    const ExactBuffer buffer(
        (Ethernet{} / Ipv4{.length = 20 + 1000} / Udp{.length = 1000} / hello).bytes());
    wire_cursor cursor = buffer.cursor();
    packet packet{};
    REQUIRE(packet_read(&cursor, &packet) == PACKET_UDP);
    CHECK(packet_padding(&packet, static_cast<std::uint32_t>(buffer.bytes().size())) == 13 - 1000);
}

TEST_CASE("a turned frame equals the reference's in every byte, for all payload lengths")
{
    std::mt19937 random(6);
    for (std::size_t length = 0; length <= PACKET_ANSWER_MAX - PACKET_UDP_SIZE; length++) {
        Bytes payload(length);
        for (auto &byte : payload)
            byte = static_cast<std::uint8_t>(random());
        const Ethernet there{}, back{.target = there.source, .source = there.target};
        const Udp asks{}, answers{.source_port = asks.target_port, .target_port = asks.source_port};
        const Ipv4 v4{.id = 99, .ttl = 1},
            v4_back{.id = 99, .source = v4.target, .target = v4.source};
        const Ipv6 v6{.hop_limit = 1}, v6_back{.source = v6.target, .target = v6.source};
        REQUIRE(turned(there / v4 / asks / hello, payload) ==
                (back / v4_back / answers / Payload{payload}).bytes());
        REQUIRE(turned(there / Vlan{} / v4 / asks / hello, payload) ==
                (back / Vlan{} / v4_back / answers / Payload{payload}).bytes());
        REQUIRE(turned(there / v6 / asks / hello, payload) ==
                (back / v6_back / answers / Payload{payload}).bytes());
        REQUIRE(turned(there / Vlan{} / v6 / asks / hello, payload) ==
                (back / Vlan{} / v6_back / answers / Payload{payload}).bytes());
    }
}

TEST_CASE("a partial or wrong checksum in the query does not get into the reply")
{
    const Bytes right = turned(Ethernet{} / Ipv4{} / Udp{} / hello, {1, 2, 3});
    CHECK(turned(Ethernet{} / Ipv4{} / Udp{.checksum = 0xbad} / hello, {1, 2, 3}) == right);
    CHECK(turned(Ethernet{} / Ipv4{.checksum = 0xbad} / Udp{} / hello, {1, 2, 3}) == right);
}

TEST_CASE("a frame without room for its headers is not turned around")
{
    for (const Packet &whole : plain_packets()) {
        const ExactBuffer buffer(whole.bytes());
        wire_cursor cursor = buffer.cursor();
        packet packet{};
        REQUIRE(packet_read(&cursor, &packet) == PACKET_UDP);
        for (std::uint32_t size = 0; size < packet.udp_offset + PACKET_UDP_SIZE; size++) {
            const ExactBuffer cut(buffer.bytes(), size);
            REQUIRE_FALSE(packet_turn_around(cut.cursor(), &packet, 0));
        }
    }
}

TEST_CASE("scapy's frames are read, their checksums are right, and they are turned as scapy turns")
{
    auto frames = read_fixtures(DNSGAUGE_TEST_DATA "/frames.hex");
    for (const std::string name : {"ipv4", "ipv6", "vlan_ipv4", "vlan_ipv6"}) {
        INFO(name);
        const Bytes there = frames.at(name + ".there");
        const Bytes back = frames.at(name + ".back");
        CHECK(checksum_ok(there));
        CHECK(checksum_ok(back));
        const std::string answer = "an answer of odd length";
        const Bytes made = turned(there, Bytes(answer.begin(), answer.end()));
        INFO(hexdump(made) << "instead of\n" << hexdump(back));
        CHECK(made == back);
    }
}

TEST_CASE("a checksum that comes out as zero is sent as all ones")
{
    const Bytes frame = read_fixtures(DNSGAUGE_TEST_DATA "/frames.hex").at("checksum_zero");
    REQUIRE(frame.at(40) == 0xff);
    REQUIRE(frame.at(41) == 0xff);
    CHECK(checksum_ok(frame));
    /* Addresses and ports change places, which does not change the sum. */
    const Bytes back = turned(frame, Bytes(frame.begin() + 42, frame.end()));
    CHECK(back.at(40) == 0xff);
    CHECK(back.at(41) == 0xff);
}

TEST_CASE("the builder's checksums are right, and every flipped bit of a datagram is seen")
{
    for (const Packet &packet : plain_packets()) {
        const Bytes frame = packet;
        CHECK(checksum_ok(frame));
        const std::size_t payload = frame.size() - hello.bytes.size();
        for (std::size_t bit = 0; bit < 8 * hello.bytes.size(); bit++) {
            Bytes flipped = frame;
            flipped[payload + bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
            REQUIRE_FALSE(checksum_ok(flipped));
        }
    }
}

TEST_CASE("no checksum at all is right over IPv4 and wrong over IPv6")
{
    CHECK(checksum_ok(Ethernet{} / Ipv4{} / Udp{.checksum = 0} / hello));
    CHECK_FALSE(checksum_ok(Ethernet{} / Ipv6{} / Udp{.checksum = 0} / hello));
}

TEST_CASE("only the right checksum and the bare pseudo header's are believed")
{
    const Ipv4 v4;
    const Ipv6 v6;
    const auto plain4 = static_cast<std::uint16_t>(
        ~reference_checksum({}, reference_pseudo_sum(v4.source, v4.target, 13)));
    const auto plain6 = static_cast<std::uint16_t>(
        ~reference_checksum({}, reference_pseudo_sum(v6.source, v6.target, 13)));
    int believed4 = 0;
    int believed6 = 0;
    for (std::uint32_t value = 1; value < 0x10000; value++) {
        const auto sum = static_cast<std::uint16_t>(value);
        believed4 += checksum_ok(Ethernet{} / v4 / Udp{.checksum = sum} / hello) ? 1 : 0;
        believed6 += checksum_ok(Ethernet{} / v6 / Udp{.checksum = sum} / hello) ? 1 : 0;
    }
    CHECK(believed4 == 2);
    CHECK(believed6 == 2);
    CHECK(checksum_ok(Ethernet{} / v4 / Udp{.checksum = plain4} / hello));
    CHECK(checksum_ok(Ethernet{} / v6 / Udp{.checksum = plain6} / hello));
}

TEST_CASE("the longest datagram that is checked is checked to its last byte")
{
    Bytes frame = Ethernet{} / Ipv6{} / Udp{} / Payload{Bytes(PACKET_DATAGRAM_MAX - 8, 0xa5)};
    CHECK(checksum_ok(frame));
    frame.back() ^= 1;
    CHECK_FALSE(checksum_ok(frame));
}

TEST_CASE("less than a UDP header has no right checksum")
{
    const ExactBuffer addresses(Bytes(32, 0));
    for (std::size_t size = 0; size < PACKET_UDP_SIZE; size++) {
        const ExactBuffer udp(Bytes{}, size);
        CHECK_FALSE(packet_checksum_ok(udp.cursor(), addresses.bytes().data(), 0,
                                       static_cast<std::uint32_t>(size)));
    }
}
