// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/plain_sum.h"
#include "xdp/frames.h"

#include "wire/answer.h"
#include "wire/judge.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint16_t some_port = 0x8001;
constexpr std::uint16_t some_id = 0xbeef;
constexpr std::uint32_t some_address = 0x0a0200ff;

QueryFormat format_ipv4()
{
    QueryFormat format;
    format.source_mac = parse_mac_address("02:00:00:00:00:01");
    format.target_mac = parse_mac_address("02:00:00:00:00:53");
    format.source = parse_ip_address("198.18.0.1");
    format.target = parse_ip_address("198.18.0.2");
    format.zone = parse_zone_name("dns64perf.test");
    return format;
}

QueryFormat format_ipv6()
{
    QueryFormat format = format_ipv4();
    format.source = parse_ip_address("2001:2::1");
    format.target = parse_ip_address("2001:2::2");
    return format;
}

Bytes query(const FrameTemplate &frame, std::uint16_t port, std::uint16_t id, std::uint32_t address)
{
    Bytes bytes(frame.bytes().begin(), frame.bytes().end());
    frame.patch(bytes.data(), port, id, address);
    return bytes;
}

Bytes from_hex(const std::string &text)
{
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

// The offsets in a frame that was read back.
struct Read {
    packet head{};
    std::span<std::uint8_t> udp;
    wire_cursor message{};
    bool ok = false;
};

Read read(Bytes &frame)
{
    Read result;
    wire_cursor cursor{frame.data(), frame.data() + frame.size()};
    result.ok = packet_read(&cursor, &result.head) == PACKET_UDP &&
                packet_padding(&result.head, static_cast<std::uint32_t>(frame.size())) == 0;
    if (result.ok)
        result.udp = std::span(frame).subspan(result.head.udp_offset);
    result.message = cursor;
    return result;
}

std::span<const std::uint8_t> addresses_of(const Bytes &frame, const packet &head)
{
    const std::size_t offset =
        head.ip_offset + (head.is_ipv6 != 0 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    return std::span(frame).subspan(offset, head.is_ipv6 != 0 ? 32 : 8);
}

bool udp_checksum_is_right(Bytes &frame)
{
    const Read found = read(frame);
    if (!found.ok || wire_raw16(found.udp.data() + PACKET_UDP_CHECKSUM) == 0)
        return false;
    const auto length = static_cast<std::uint32_t>(found.udp.size());
    const std::uint32_t pseudo =
        plain_sum(addresses_of(frame, found.head), PACKET_PROTOCOL_UDP + length);
    return plain_sum(found.udp, pseudo) == 0xffff;
}

// Returns every format that a query can have. One zone gives datagrams of odd length, one of even
// length, and one fills the room for a zone's name.
std::vector<QueryFormat> all_formats()
{
    std::vector<QueryFormat> formats;
    // A zone's name has at most one octet less than its room; two of its octets are not in the
    // text.
    const std::string longest =
        std::string(30, 'a') + "." + std::string(ANSWER_ZONE_MAX - 3 - 31, 'b');
    for (const QueryFormat &family : {format_ipv4(), format_ipv6()})
        for (const std::optional<std::uint16_t> vlan :
             {std::optional<std::uint16_t>{}, {1}, {4094}})
            for (const std::string &zone : {std::string("x"), std::string("xy"), longest})
                for (const auto type : {std::uint16_t{DNS_TYPE_A}, std::uint16_t{DNS_TYPE_AAAA}})
                    for (const int option : {0, 1, 2, 3}) {
                        QueryFormat format = family;
                        format.vlan = vlan;
                        format.zone = parse_zone_name(zone);
                        format.type = type;
                        format.recursion_desired = option % 2 == 1;
                        if (option > 0)
                            format.edns_size = static_cast<std::uint16_t>(option == 3 ? 65535 : 0);
                        format.dnssec_ok = option > 1;
                        formats.push_back(format);
                    }
    return formats;
}

} // namespace

// scapy 2.5 made the expected bytes of the first two.
TEST_CASE("a query over IPv4 is byte for byte what another implementation makes", "[net]")
{
    const FrameTemplate frame(format_ipv4());
    CHECK(query(frame, some_port, some_id, some_address) ==
          from_hex("02000000005302000000000108004500004c000040004011ae79c6120001c612"
                   "000280010035003867c8beef000000010000000000000f3031302d3030322d30"
                   "30302d32353509646e73363470657266047465737400001c0001"));
}

TEST_CASE("a tagged query over IPv6 with EDNS is, too", "[net]")
{
    QueryFormat format = format_ipv6();
    format.vlan = 100;
    format.target_port = 5353;
    format.type = DNS_TYPE_A;
    format.recursion_desired = true;
    format.edns_size = 1232;
    format.dnssec_ok = true;
    const FrameTemplate frame(format);
    CHECK(query(frame, some_port, some_id, some_address) ==
          from_hex("0200000000530200000000018100006486dd6000000000431140200100020000"
                   "0000000000000000000120010002000000000000000000000002800114e90043"
                   "a4b2beef010000010000000000010f3031302d3030322d3030302d3235350964"
                   "6e733634706572660474657374000001000100002904d0000080000000"));
}

TEST_CASE("every query says what its format says", "[net]")
{
    for (const QueryFormat &format : all_formats()) {
        const FrameTemplate frame(format);
        Bytes bytes = query(frame, some_port, some_id, some_address);
        CAPTURE(format.zone.text, format.target.is_ipv6, format.vlan.value_or(0), format.type);
        const Read found = read(bytes);
        REQUIRE(found.ok);
        CHECK(bytes.size() == frame.length());
        CHECK(found.head.source_port == some_port);
        CHECK(found.head.target_port == format.target_port);
        CHECK((found.head.is_ipv6 != 0) == format.target.is_ipv6);
        CHECK(found.head.ip_offset == (format.vlan ? 18U : 14U));
        if (format.vlan)
            CHECK(wire_get16(bytes.data() + PACKET_ETHERNET_SIZE) == *format.vlan);

        dns_query question{};
        REQUIRE(dns_read_query(found.message, 0, &question) == DNS_QUERY_GOOD);
        CHECK(wire_get16(found.message.pos) == some_id);
        CHECK(question.flags == (format.recursion_desired ? DNS_RD : 0));
        CHECK(question.type == format.type);
        CHECK(question.class_ == DNS_CLASS_IN);
        CHECK((question.has_edns != 0) == format.edns_size.has_value());
        if (format.edns_size) {
            CHECK(question.edns_version == 0);
            CHECK((question.dnssec_ok != 0) == format.dnssec_ok);
            CHECK(wire_get16(found.message.end - DNS_OPT_SIZE + 3) == *format.edns_size);
        }
    }
}

TEST_CASE("fakedns and the judge both find the name that was asked for", "[net]")
{
    for (const QueryFormat &format : all_formats()) {
        Bytes bytes = query(FrameTemplate(format), some_port, some_id, some_address);
        const Read found = read(bytes);
        REQUIRE(found.ok);
        wire_cursor name = found.message;
        name.pos += DNS_HEADER_SIZE;

        answer_zones zones{};
        std::copy(format.zone.wire.begin(), format.zone.wire.end(), zones.zone[0].name);
        zones.zone[0].name_length = format.zone.length;
        zones.count = 1;
        dns_query question{};
        REQUIRE(dns_read_query(found.message, 0, &question) == DNS_QUERY_GOOD);
        std::uint32_t address = 0;
        CHECK(answer_test_name_zone(found.message, &zones, &address) == 0);
        CHECK(address == some_address);

        judge_rule rule{};
        std::copy(format.zone.wire.begin(), format.zone.wire.end(), rule.zone);
        rule.zone_length = format.zone.length;
        rule.type = format.type;
        CHECK(judge_question(name, &rule, some_address));
        CHECK_FALSE(judge_question(name, &rule, some_address + 1));
    }
}

TEST_CASE("checksums are right whatever is patched over whatever was there", "[net]")
{
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same queries every time
    for (const QueryFormat &format : all_formats()) {
        const FrameTemplate frame(format);
        Bytes bytes(frame.bytes().begin(), frame.bytes().end());
        for (int i = 0; i < 64; i++) {
            const bool extreme = i < 8;
            const auto port =
                static_cast<std::uint16_t>(extreme ? ((i & 1) != 0 ? 0xffff : 0) : random());
            const auto id =
                static_cast<std::uint16_t>(extreme ? ((i & 2) != 0 ? 0xffff : 0) : random());
            const auto address =
                extreme ? ((i & 4) != 0 ? 0xffffffffU : 0U) : static_cast<std::uint32_t>(random());
            frame.patch(bytes.data(), port, id, address);
            CAPTURE(format.zone.text, format.target.is_ipv6, port, id, address);
            REQUIRE(udp_checksum_is_right(bytes));
            const Read found = read(bytes);
            REQUIRE(packet_checksum_ok(
                wire_cursor{found.udp.data(), found.udp.data() + found.udp.size()},
                addresses_of(bytes, found.head).data(), found.head.is_ipv6,
                static_cast<std::uint32_t>(found.udp.size())));
            if (found.head.is_ipv6 == 0)
                REQUIRE(plain_sum(std::span(bytes).subspan(found.head.ip_offset,
                                                           PACKET_IPV4_SIZE)) == 0xffff);
            REQUIRE(bytes == query(frame, port, id, address));
        }
    }
}

TEST_CASE("a UDP checksum of zero is sent as all ones", "[net]")
{
    const QueryFormat format = GENERATE(format_ipv4(), format_ipv6());
    const FrameTemplate frame(format);
    Bytes bytes(frame.bytes().begin(), frame.bytes().end());
    int all_ones = 0;
    // The ID alone makes the sum take all of its 65,535 values.
    for (std::uint32_t id = 0; id <= 0xffff; id++) {
        frame.patch(bytes.data(), some_port, static_cast<std::uint16_t>(id), some_address);
        const std::uint16_t field = wire_raw16(read(bytes).udp.data() + PACKET_UDP_CHECKSUM);
        REQUIRE(field != 0);
        all_ones += field == 0xffff ? 1 : 0;
    }
    CHECK(all_ones >= 1);
    CHECK(all_ones <= 2);
}
