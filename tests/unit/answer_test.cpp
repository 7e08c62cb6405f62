// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/answer.h"

#include "support/exact_buffer.h"
#include "support/fixtures.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint16_t type_txt = 16;

// The zone of data/make_fixtures.py.
answer_zone test_zone(const Bytes &name = dns_name("dns64perf.test"))
{
    answer_zone zone{};
    std::copy(name.begin(), name.end(), zone.name);
    zone.name_length = static_cast<std::uint32_t>(name.size());
    zone.aaaa_share = 50;
    zone.ttl = 3600;
    zone.negative_ttl = 300;
    const Bytes prefix = from_hex("20010db8 00640000 00000000");
    std::copy(prefix.begin(), prefix.end(), zone.aaaa_prefix.bytes);
    zone.aaaa_prefix.length = 96;
    const Bytes ipv4 = {198, 18, 0, 53};
    std::copy(ipv4.begin(), ipv4.end(), zone.server_ipv4);
    const Bytes ipv6 = from_hex("20010db8 00000000 00000000 00000053");
    std::copy(ipv6.begin(), ipv6.end(), zone.server_ipv6);
    return zone;
}

answer_zones zones_of(std::initializer_list<answer_zone> all)
{
    answer_zones zones{};
    for (const answer_zone &zone : all)
        zones.zone[zones.count++] = zone;
    return zones;
}

struct Answered {
    answer_kind kind;
    Bytes bytes;
};

// Takes the three steps of an answer, in a buffer of exactly the answer's size.
Answered answered(const Bytes &query_bytes, const answer_zones &zones)
{
    const ExactBuffer asked(query_bytes);
    dns_query query{};
    answer answer{};
    const answer_kind kind = answer_plan(asked.cursor(), &zones, &query, &answer);
    if (kind == ANSWER_IGNORED)
        return {kind, {}};
    const std::uint32_t size = answer_size(kind, &query);
    REQUIRE(size <= ANSWER_SIZE_MAX);
    const ExactBuffer written(query_bytes, size);
    REQUIRE(answer_write(written.cursor(), kind, &query, &answer, &zones));
    return {kind, {written.bytes().begin(), written.bytes().end()}};
}

Answered answered(const Bytes &query_bytes, const answer_zone &zone)
{
    return answered(query_bytes, zones_of({zone}));
}

Answered answered(const Bytes &query_bytes)
{
    static const answer_zones usual = zones_of({test_zone()});
    return answered(query_bytes, usual);
}

Bytes query_for(const Bytes &name, std::uint16_t type = DNS_TYPE_A)
{
    return DnsMessage{.questions = {{.name = name, .type = type}}};
}

answer_kind kind_of(const std::string &name, std::uint16_t type = DNS_TYPE_A)
{
    return answered(query_for(dns_name(name), type)).kind;
}

answer_kind kind_of(const std::string &name, std::uint16_t type, const answer_zone &zone)
{
    return answered(query_for(dns_name(name), type), zone).kind;
}

} // namespace

TEST_CASE("every answer is byte for byte what dnspython makes of it")
{
    const auto fixtures = read_fixtures(DNSGAUGE_TEST_DATA "/answers.hex");
    std::set<answer_kind> kinds;
    for (const auto &[name, query] : fixtures) {
        if (!name.ends_with(".query"))
            continue;
        const std::string base = name.substr(0, name.size() - 6);
        const Bytes &expected = fixtures.at(base + ".answer");
        const auto [kind, bytes] = answered(query);
        INFO(base << "\n" << hexdump(bytes) << "instead of\n" << hexdump(expected));
        CHECK(bytes == expected);
        kinds.insert(kind);
    }
    CHECK(kinds.size() == ANSWER_KINDS - 1); /* all but ANSWER_IGNORED */
}

TEST_CASE("what is no query is ignored")
{
    CHECK(answered({}).kind == ANSWER_IGNORED);
    CHECK(answered(Bytes(11)).kind == ANSWER_IGNORED);
    CHECK(answered(DnsMessage{.flags = 0x8000, .questions = {{.name = {0}}}}).kind ==
          ANSWER_IGNORED);
}

TEST_CASE("the question comes back byte for byte, each letter in the case it came in")
{
    std::mt19937 random(10);
    for (int i = 0; i < 2000; i++) {
        Bytes name = dns_name(i % 2 ? "010-000-000-001.dns64perf.test" : "a.b.dns64perf.test");
        for (std::uint8_t &byte : name)
            if (byte >= 'a' && byte <= 'z' && random() % 2)
                byte ^= 0x20;
        const Bytes query = query_for(name);
        const auto [kind, bytes] = answered(query);
        REQUIRE(kind == (i % 2 ? ANSWER_A : ANSWER_NXDOMAIN));
        REQUIRE(std::equal(query.begin() + 12, query.end(), bytes.begin() + 12));
        REQUIRE(std::equal(query.begin(), query.begin() + 2, bytes.begin()));
    }
}

TEST_CASE("a test name owns A, perhaps AAAA, and answers ANY; transfers are refused")
{
    for (std::uint32_t value = 0; value < 0x10000; value++) {
        const auto type = static_cast<std::uint16_t>(value);
        const auto other = type == DNS_TYPE_ANY                             ? ANSWER_HINFO
                           : type == DNS_TYPE_AXFR || type == DNS_TYPE_IXFR ? ANSWER_REFUSED
                                                                            : ANSWER_NODATA;
        const auto a = type == DNS_TYPE_A ? ANSWER_A : other;
        REQUIRE(kind_of("010-000-000-001.dns64perf.test", type) ==
                (type == DNS_TYPE_AAAA ? ANSWER_AAAA : a));
        REQUIRE(kind_of("010-000-000-002.dns64perf.test", type) == a);
        REQUIRE(kind_of("dns64perf.test", type) == (type == DNS_TYPE_SOA  ? ANSWER_SOA
                                                    : type == DNS_TYPE_NS ? ANSWER_NS
                                                                          : other));
        REQUIRE(kind_of("ns.dns64perf.test", type) == (type == DNS_TYPE_AAAA ? ANSWER_AAAA : a));
        REQUIRE(kind_of("x.dns64perf.test", type) ==
                (other == ANSWER_REFUSED ? other : ANSWER_NXDOMAIN));
    }
}

TEST_CASE("only class IN is ours")
{
    for (std::uint32_t value = 0; value < 0x10000; value++) {
        const DnsMessage message{.questions = {{.name = dns_name("010-000-000-001.dns64perf.test"),
                                                .dns_class = static_cast<std::uint16_t>(value)}}};
        REQUIRE(answered(message).kind == (value == 1 ? ANSWER_A : ANSWER_REFUSED));
    }
}

TEST_CASE("a server without an address has no record of that family")
{
    answer_zone zone = test_zone();
    std::fill(std::begin(zone.server_ipv4), std::end(zone.server_ipv4), std::uint8_t{0});
    CHECK(kind_of("ns.dns64perf.test", DNS_TYPE_A, zone) == ANSWER_NODATA);
    CHECK(kind_of("ns.dns64perf.test", DNS_TYPE_AAAA, zone) == ANSWER_AAAA);
    zone = test_zone();
    std::fill(std::begin(zone.server_ipv6), std::end(zone.server_ipv6), std::uint8_t{0});
    CHECK(kind_of("ns.dns64perf.test", DNS_TYPE_A, zone) == ANSWER_A);
    CHECK(kind_of("ns.dns64perf.test", DNS_TYPE_AAAA, zone) == ANSWER_NODATA);
}

TEST_CASE("names near the zone are not in it")
{
    CHECK(kind_of("test") == ANSWER_REFUSED);
    CHECK(kind_of("") == ANSWER_REFUSED);
    CHECK(kind_of("xdns64perf.test") == ANSWER_REFUSED);
    CHECK(kind_of("ns64perf.test") == ANSWER_REFUSED);
    CHECK(kind_of("dns64perf.tesu") == ANSWER_REFUSED);
    CHECK(kind_of("dns64perf.test.example") == ANSWER_REFUSED);
    CHECK(kind_of("010-000-000-001.dns64perf.example") == ANSWER_REFUSED);
}

TEST_CASE("a label that ends in the bytes of the zone does not make the name one of the zone")
{
    /* One label of three letters, and then the zone without its root, length octets included. */
    const Bytes zone = dns_name("dns64perf.test");
    Bytes name = {static_cast<std::uint8_t>(3 + zone.size() - 1), 'a', 'b', 'c'};
    name.insert(name.end(), zone.begin(), zone.end());
    CHECK(answered(query_for(name)).kind == ANSWER_REFUSED);

    /* The same holds for a name with the shape of "ns" in the zone, and for a name with the shape
     * of a test name. */
    Bytes server = {static_cast<std::uint8_t>(2 + zone.size() - 1), 'n', 's'};
    server.insert(server.end(), zone.begin(), zone.end());
    CHECK(answered(query_for(server)).kind == ANSWER_REFUSED);
    Bytes test_name = dns_name("010-000-000-001.dns64perf.test");
    test_name[0] = static_cast<std::uint8_t>(test_name.size() - 2);
    CHECK(answered(query_for(test_name)).kind == ANSWER_REFUSED);
}

TEST_CASE("names that are nearly test names do not exist")
{
    for (const char *label : {"010-000-000-00", "010-000-000-0001", "010-000-000-256",
                              "010.000-000-001", "010_000-000-001", "a10-000-000-001", "ns.ns",
                              "nt", "a", "n", "nss", "www.010-000-000-001"})
        CHECK(kind_of(std::string(label) + ".dns64perf.test") == ANSWER_NXDOMAIN);
}

TEST_CASE("zones of every length up to 63 octets answer for their names")
{
    /* 1 octet is the root zone; a zone of 2 octets does not exist. */
    for (std::uint32_t length = 1; length < ANSWER_ZONE_MAX; length++) {
        if (length == 2)
            continue;
        Bytes name;
        if (length > 1) {
            name.assign(length - 1, 'z');
            name[0] = static_cast<std::uint8_t>(length - 2);
        }
        name.push_back(0);
        const answer_zone zone = test_zone(name);
        const auto below = [&](const std::string &label) {
            Bytes whole = {static_cast<std::uint8_t>(label.size())};
            whole.insert(whole.end(), label.begin(), label.end());
            whole.insert(whole.end(), name.begin(), name.end());
            return query_for(whole);
        };
        INFO("zone of " << length << " octets");
        CHECK(answered(below("010-000-000-001"), zone).kind == ANSWER_A);
        CHECK(answered(below("ns"), zone).kind == ANSWER_A);
        CHECK(answered(below("other"), zone).kind == ANSWER_NXDOMAIN);
        CHECK(answered(query_for(name, DNS_TYPE_SOA), zone).kind == ANSWER_SOA);
        if (length > 1)
            CHECK(kind_of("010-000-000-001.example", DNS_TYPE_A, zone) == ANSWER_REFUSED);
    }
}

TEST_CASE("the longest query gets its answer within 512 octets")
{
    std::string deep;
    while (deep.size() + 2 + 16 <= 255)
        deep += "a.";
    DnsMessage message{.questions = {{.name = dns_name(deep + "dns64perf.test")}}};
    message.additionals = {dns_opt(0x8000)};
    const auto [kind, bytes] = answered(message);
    CHECK(kind == ANSWER_NXDOMAIN);
    CHECK(message.questions[0].name.size() >= 254);
    CHECK(bytes.size() <= 512);
}

TEST_CASE("each zone answers for its own names, by its own prefix, share and TTLs")
{
    answer_zone first = test_zone();
    answer_zone second = test_zone(dns_name("other.example"));
    answer_zone third = test_zone(dns_name("t"));
    second.aaaa_share = 100;
    second.aaaa_prefix.bytes[0] = 0xfd;
    second.ttl = 7;
    second.negative_ttl = 8;
    third.aaaa_share = 0;
    const answer_zones zones = zones_of({first, second, third});
    // 61 * 1 mod 100 is beyond the first zone's share of 50.
    CHECK(answered(query_for(dns_name("000-000-000-001.dns64perf.test"), DNS_TYPE_AAAA), zones)
              .kind == ANSWER_NODATA);
    CHECK(answered(query_for(dns_name("000-000-000-000.t"), DNS_TYPE_AAAA), zones).kind ==
          ANSWER_NODATA);
    const Bytes positive =
        answered(query_for(dns_name("000-000-000-001.other.example"), DNS_TYPE_AAAA), zones).bytes;
    const Bytes end = from_hex("00000007 0010 fd010db8 00640000 00000000 00000001");
    CHECK(std::equal(end.rbegin(), end.rend(), positive.rbegin()));
    const Bytes negative = answered(query_for(dns_name("x.Other.Example")), zones).bytes;
    CHECK(wire_get32(negative.data() + negative.size() - 4) == 8);
    for (const std::string apex : {"dns64perf.test", "other.example", "t"}) {
        CHECK(answered(query_for(dns_name(apex), DNS_TYPE_SOA), zones).kind == ANSWER_SOA);
        CHECK(answered(query_for(dns_name("ns." + apex)), zones).kind == ANSWER_A);
        CHECK(answered(query_for(dns_name("ns." + apex)), zones).bytes ==
              answered(query_for(dns_name("ns." + apex)), apex == "t"               ? third
                                                          : apex == "other.example" ? second
                                                                                    : first)
                  .bytes);
    }
    for (const std::string outside : {"test", "example", "another.example", ""})
        CHECK(answered(query_for(dns_name(outside)), zones).kind == ANSWER_REFUSED);
}

TEST_CASE("a buffer of any smaller size gets no answer written beyond its end")
{
    const answer_zones zones = zones_of({test_zone()});
    for (const std::string name :
         {"010-000-000-001.dns64perf.test", "dns64perf.test", "x.dns64perf.test", "example"})
        for (const std::uint16_t type :
             {std::uint16_t{DNS_TYPE_A}, std::uint16_t{DNS_TYPE_AAAA}, std::uint16_t{DNS_TYPE_NS},
              std::uint16_t{DNS_TYPE_SOA}, std::uint16_t{DNS_TYPE_ANY}, type_txt}) {
            DnsMessage message{.questions = {{.name = dns_name(name), .type = type}}};
            message.additionals = {dns_opt()};
            const Bytes bytes = message;
            const ExactBuffer asked(bytes);
            dns_query query{};
            answer answer{};
            const answer_kind kind = answer_plan(asked.cursor(), &zones, &query, &answer);
            for (std::uint32_t size = 0; size < answer_size(kind, &query); size++) {
                const ExactBuffer cut(bytes, size);
                REQUIRE_FALSE(answer_write(cut.cursor(), kind, &query, &answer, &zones));
            }
        }
}

TEST_CASE("every query cut at any byte and randomly changed is answered within its buffer")
{
    std::mt19937 random(11);
    std::set<answer_kind> kinds;
    const auto fixtures = read_fixtures(DNSGAUGE_TEST_DATA "/answers.hex");
    for (const auto &[name, query] : fixtures) {
        if (!name.ends_with(".query"))
            continue;
        for (std::size_t size = 0; size <= query.size(); size++)
            kinds.insert(
                answered(Bytes(query.begin(), query.begin() + static_cast<long>(size))).kind);
        for (int i = 0; i < 5000; i++) {
            Bytes changed = query;
            changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
            kinds.insert(answered(changed).kind);
        }
    }
    CHECK(kinds.size() == ANSWER_KINDS);
}
