// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/dns.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <functional>
#include <random>

using namespace dnsgauge::testing;

namespace
{

std::uint32_t skipped(const Bytes &name)
{
    const ExactBuffer buffer(name);
    wire_cursor cursor = buffer.cursor();
    __u64 starts = 0;
    const std::uint32_t length = dns_skip_name(&cursor, &starts);
    REQUIRE(cursor.pos == buffer.bytes().data() + length);
    return length;
}

__u64 label_starts(const Bytes &name)
{
    const ExactBuffer buffer(name);
    wire_cursor cursor = buffer.cursor();
    __u64 starts = 0;
    REQUIRE(dns_skip_name(&cursor, &starts) == name.size());
    return starts;
}

Bytes name_of(const std::vector<std::size_t> &labels)
{
    Bytes name;
    for (const std::size_t label : labels) {
        name.push_back(static_cast<std::uint8_t>(label));
        name.insert(name.end(), label, 'x');
    }
    name.push_back(0);
    return name;
}

const DnsMessage plain{.questions = {{.name = dns_name("010-000-000-001.dns64perf.test")}}};

DnsMessage with_opt(std::uint32_t ttl = 0, const Bytes &options = {})
{
    DnsMessage message = plain;
    message.additionals = {dns_opt(ttl, options)};
    return message;
}

dns_query_status status_of(const Bytes &message, dns_query *query = nullptr)
{
    const ExactBuffer buffer(message);
    dns_query unused{};
    return dns_read_query(buffer.cursor(), 0, query ? query : &unused);
}

DnsMessage changed(const std::function<void(DnsMessage &)> &change)
{
    DnsMessage message = plain;
    change(message);
    return message;
}

std::uint8_t plainly_folded(std::uint8_t byte)
{
    static const std::string capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const std::string small = "abcdefghijklmnopqrstuvwxyz";
    const std::size_t at = capitals.find(static_cast<char>(byte));
    return byte && at != std::string::npos ? static_cast<std::uint8_t>(small[at]) : byte;
}

} // namespace

TEST_CASE("a name is skipped with its root, whatever follows")
{
    CHECK(skipped({0}) == 1);
    CHECK(skipped({0, 1, 2, 3}) == 1);
    CHECK(skipped(dns_name("a")) == 3);
    CHECK(skipped(dns_name("010-000-000-001.dns64perf.test")) == 32);
}

TEST_CASE("a name of 255 octets is skipped, one of 256 is not")
{
    CHECK(skipped(name_of({63, 63, 63, 61})) == 255);
    CHECK(skipped(name_of({63, 63, 63, 62})) == 0);
    CHECK(skipped(name_of({63, 63, 63, 63})) == 0);
}

TEST_CASE("a name of 127 labels and the root is skipped, one label more is not")
{
    CHECK(skipped(name_of(std::vector<std::size_t>(127, 1))) == 255);
    CHECK(skipped(name_of(std::vector<std::size_t>(128, 1))) == 0);
    CHECK(skipped(Bytes(1000, 1)) == 0);
}

TEST_CASE("every length octet above 63 is refused, compression among them")
{
    for (std::size_t octet = 1; octet < 256; octet++) {
        Bytes name = {1, 'x', static_cast<std::uint8_t>(octet)};
        name.resize(3 + octet + 1);
        REQUIRE(skipped(name) == (octet <= 63 ? 3 + octet + 1 : 0));
    }
}

TEST_CASE("a name cut at any byte is not skipped, and not read beyond the cut")
{
    for (const Bytes &name : {dns_name("010-000-000-001.dns64perf.test"), name_of({63, 63, 63, 61}),
                              name_of(std::vector<std::size_t>(127, 1))})
        for (std::size_t size = 0; size < name.size(); size++)
            REQUIRE(skipped(Bytes(name.begin(), name.begin() + static_cast<long>(size))) == 0);
}

TEST_CASE("a plain query is read in all its fields")
{
    dns_query query{};
    DnsMessage message = plain;
    message.flags = DNS_RD | DNS_CD;
    message.questions[0].type = 28;
    message.questions[0].dns_class = 3;
    REQUIRE(status_of(message, &query) == DNS_QUERY_GOOD);
    CHECK(query.flags == (DNS_RD | DNS_CD));
    CHECK(query.type == 28);
    CHECK(query.class_ == 3);
    CHECK(query.name_length == 32);
    CHECK_FALSE(query.has_edns);
}

TEST_CASE("EDNS is read: version, DO, and options are stepped over")
{
    for (const std::uint32_t version : {0U, 1U, 255U})
        for (const std::uint32_t dnssec_ok : {0U, 0x8000U})
            for (const std::size_t options : {0U, 1U, 12U, 400U}) {
                dns_query query{};
                REQUIRE(status_of(with_opt(version << 16 | dnssec_ok, Bytes(options, 0x77)),
                                  &query) == DNS_QUERY_GOOD);
                CHECK(query.has_edns);
                CHECK(query.edns_version == version);
                CHECK(bool(query.dnssec_ok) == (dnssec_ok != 0));
            }
}

TEST_CASE("DO is one bit of the OPT record: the reserved ones beside it do not count")
{
    dns_query query{};
    REQUIRE(status_of(with_opt(0x7fff), &query) == DNS_QUERY_GOOD);
    CHECK_FALSE(query.dnssec_ok);
    CHECK(query.edns_version == 0);
}

TEST_CASE("what is shorter than a header is ignored")
{
    const Bytes whole = plain;
    for (std::size_t size = 0; size < DNS_HEADER_SIZE; size++)
        REQUIRE(status_of(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))) ==
                DNS_QUERY_IGNORED);
}

TEST_CASE("a message with QR is ignored, else any opcode but QUERY is not implemented")
{
    for (std::uint32_t flags = 0; flags < 0x10000; flags++) {
        DnsMessage message = plain;
        message.flags = static_cast<std::uint16_t>(flags);
        dns_query query{};
        const dns_query_status status = status_of(message, &query);
        REQUIRE(status == (flags & 0x8000   ? DNS_QUERY_IGNORED
                           : flags & 0x7800 ? DNS_QUERY_NOTIMP
                                            : DNS_QUERY_GOOD));
        if (status != DNS_QUERY_IGNORED)
            REQUIRE(query.flags == flags);
    }
}

TEST_CASE("counts other than one question and at most one additional record are FORMERR")
{
    for (std::uint32_t count = 0; count < 0x10000; count++) {
        const auto value = static_cast<std::uint16_t>(count);
        const auto bad = [&](auto field) {
            DnsMessage message = plain;
            message.*field = value;
            return status_of(message) == DNS_QUERY_FORMERR;
        };
        REQUIRE(bad(&DnsMessage::question_count) == (value != 1));
        REQUIRE(bad(&DnsMessage::answer_count) == (value != 0));
        REQUIRE(bad(&DnsMessage::authority_count) == (value != 0));
        REQUIRE(bad(&DnsMessage::additional_count) == (value != 0));
    }
    CHECK(status_of(changed([](DnsMessage &m) {
              m.additionals = {dns_opt(), dns_opt()};
          })) == DNS_QUERY_FORMERR);
}

TEST_CASE("an additional record that is no OPT record, or not the root's, is FORMERR")
{
    for (std::uint32_t type = 0; type < 0x10000; type++) {
        DnsMessage message = with_opt();
        message.additionals[0].type = static_cast<std::uint16_t>(type);
        REQUIRE(status_of(message) == (type == 41 ? DNS_QUERY_GOOD : DNS_QUERY_FORMERR));
    }
    for (const Bytes &owner : {dns_name("a"), Bytes{0xc0, 0x0c}}) {
        DnsMessage message = with_opt();
        message.additionals[0].owner = owner;
        CHECK(status_of(message) == DNS_QUERY_FORMERR);
    }
}

TEST_CASE("OPT options longer or shorter than they say are FORMERR")
{
    for (std::uint32_t length = 0; length < 0x10000; length++) {
        DnsMessage message = with_opt(0, Bytes(4, 0));
        message.additionals[0].length = static_cast<std::uint16_t>(length);
        REQUIRE(status_of(message) == (length == 4 ? DNS_QUERY_GOOD : DNS_QUERY_FORMERR));
    }
}

TEST_CASE("a compressed question name is FORMERR")
{
    CHECK(status_of(changed([](DnsMessage &m) {
              m.questions[0].name = {0xc0, 0x0c};
          })) == DNS_QUERY_FORMERR);
    CHECK(status_of(changed([](DnsMessage &m) {
              m.questions[0].name = {1, 'a', 0xc0, 0x0c};
          })) == DNS_QUERY_FORMERR);
}

TEST_CASE("a query cut at any byte after its header is FORMERR, as is one with a byte too many")
{
    for (const Bytes &whole :
         {plain.bytes(), with_opt().bytes(), with_opt(0x8000, Bytes(9)).bytes()}) {
        for (std::size_t size = DNS_HEADER_SIZE; size < whole.size(); size++)
            REQUIRE(status_of(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))) ==
                    DNS_QUERY_FORMERR);
        Bytes longer = whole;
        longer.push_back(0);
        CHECK(status_of(longer) == DNS_QUERY_FORMERR);
    }
}

TEST_CASE("all 256 bytes fold right, alone and in each of eight positions")
{
    std::mt19937_64 random(7);
    for (int value = 0; value < 256; value++) {
        const auto byte = static_cast<std::uint8_t>(value);
        REQUIRE(dns_fold(byte) == plainly_folded(byte));
        for (std::size_t at = 0; at < 8; at++)
            for (int i = 0; i < 8; i++) {
                std::uint64_t word = i == 0 ? 0 : i == 1 ? ~0ULL : random();
                Bytes bytes(8), expected(8);
                std::memcpy(bytes.data(), &word, 8);
                bytes[at] = byte;
                for (std::size_t j = 0; j < 8; j++)
                    expected[j] = plainly_folded(bytes[j]);
                std::memcpy(&word, bytes.data(), 8);
                word = dns_fold8(word);
                std::memcpy(bytes.data(), &word, 8);
                REQUIRE(bytes == expected);
            }
    }
}

TEST_CASE("runs of 1 to 64 bytes are equal without regard to case, and a change anywhere is seen")
{
    std::mt19937 random(8);
    for (std::uint32_t length = 1; length <= 64; length++) {
        Bytes mixed(length), folded(length);
        for (std::uint32_t i = 0; i < length; i++) {
            mixed[i] = static_cast<std::uint8_t>(random() % 4 ? 'A' + random() % 58 : random());
            folded[i] = plainly_folded(mixed[i]);
        }
        const ExactBuffer right(folded);
        const ExactBuffer asked(mixed);
        REQUIRE(dns_equal_folded(asked.bytes().data(), right.bytes().data(), length, 64));
        for (std::uint32_t i = 0; i < length; i++)
            for (const int bit : {0x01, 0x20, 0x80}) {
                Bytes other = mixed;
                other[i] ^= static_cast<std::uint8_t>(bit);
                const ExactBuffer changed_run(other);
                REQUIRE(bool(dns_equal_folded(changed_run.bytes().data(), right.bytes().data(),
                                              length, 64)) ==
                        (plainly_folded(other[i]) == folded[i]));
            }
    }
}

TEST_CASE("labels start where their length octets are, told from the name's end")
{
    const Bytes name = dns_name("a.bcd.ef");
    /* 1 a 3 b c d 2 e f 0: ten octets, labels at 0, 2, 6 and 9 */
    CHECK(label_starts(name) == (1ULL << 10 | 1ULL << 8 | 1ULL << 4 | 1ULL << 1));
    CHECK(label_starts(dns_name("")) == 1ULL << 1);
}

TEST_CASE("in a long name the starts in its last 63 octets are told")
{
    __u64 odd = 0;
    for (unsigned n = 1; n < 64; n += 2)
        odd |= 1ULL << n;
    CHECK(label_starts(name_of(std::vector<std::size_t>(127, 1))) == odd);
    CHECK(label_starts(name_of({63, 63})) == 1ULL << 1);
    CHECK(label_starts(name_of({63, 61})) == (1ULL << 63 | 1ULL << 1));
}
