// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests FakeDNS' answers by the socket path, and the framing of DNS over TCP.
#include "base/message_stream.h"
#include "server/counters.h"
#include "server/responder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace dnsgauge;
using Bytes = std::vector<std::uint8_t>;

namespace
{

void append(Bytes &bytes, std::string_view text)
{
    bytes.insert(bytes.end(), text.begin(), text.end());
}

// Returns the wire form of the dotted `text`, which has no final dot.
Bytes name(std::string_view text)
{
    Bytes bytes;
    while (!text.empty()) {
        const std::string_view label = text.substr(0, text.find('.'));
        bytes.push_back(static_cast<std::uint8_t>(label.size()));
        append(bytes, label);
        text.remove_prefix(std::min(label.size() + 1, text.size()));
    }
    bytes.push_back(0);
    return bytes;
}

answer_zones test_zones()
{
    answer_zone zone{};
    const Bytes wire = name("dns64perf.test");
    std::ranges::copy(wire, zone.name);
    zone.name_length = static_cast<__u32>(wire.size());
    zone.aaaa_share = 30;
    zone.ttl = 60;
    zone.negative_ttl = 5;
    zone.aaaa_prefix = {{0x20, 0x01, 0x0d, 0xb8}, 96};
    answer_zones zones{};
    zones.zone[0] = zone;
    zones.count = 1;
    return zones;
}

Bytes query(std::uint16_t id, std::string_view text, std::uint8_t type)
{
    Bytes bytes{static_cast<std::uint8_t>(id >> 8),
                static_cast<std::uint8_t>(id),
                1,
                0,
                0,
                1,
                0,
                0,
                0,
                0,
                0,
                0};
    const Bytes wire = name(text);
    bytes.insert(bytes.end(), wire.begin(), wire.end());
    bytes.insert(bytes.end(), {0, type, 0, 1});
    return bytes;
}

Bytes framed(const Bytes &message)
{
    Bytes bytes{static_cast<std::uint8_t>(message.size() >> 8),
                static_cast<std::uint8_t>(message.size())};
    bytes.insert(bytes.end(), message.begin(), message.end());
    return bytes;
}

Bytes framed_queries(unsigned from, unsigned count)
{
    Bytes all;
    for (unsigned i = from; i < from + count; i++) {
        const Bytes one =
            framed(query(static_cast<std::uint16_t>(i), "010-000-000-001.dns64perf.test", 1));
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

constexpr std::size_t read_size = 4096;

// Gives the stream as many of `octets` as come with one reading. Returns how many these are.
std::size_t feed(TcpStream &stream, std::span<const std::uint8_t> octets)
{
    const std::size_t count = std::min(read_size, octets.size());
    stream.received(octets.first(count));
    return count;
}

// Returns the IDs of the answers in a stream of framed messages that ends with a whole message.
std::vector<unsigned> answer_ids(std::span<const std::uint8_t> octets)
{
    std::vector<unsigned> ids;
    while (!octets.empty()) {
        REQUIRE(octets.size() > 2);
        const std::size_t size = wire_get16(octets.data());
        REQUIRE(octets.size() >= 2 + size);
        REQUIRE(size >= DNS_HEADER_SIZE);
        ids.push_back(wire_get16(octets.data() + 2));
        octets = octets.subspan(2 + size);
    }
    return ids;
}

Answered answer_in_place(Bytes &message, const answer_zones &zones)
{
    const std::size_t length = message.size();
    message.resize(answer_room(length));
    const Answered answered = answer_message(message, length, zones);
    message.resize(answered.length);
    return answered;
}

} // namespace

TEST_CASE("an A query is answered with the name's address, the question as it came")
{
    Bytes message = query(0xabcd, "010-020-030-255.Dns64PERF.tesT", 1);
    const Bytes asked = message;
    REQUIRE(answer_in_place(message, test_zones()).kind == ANSWER_A);

    Bytes expected = asked;
    expected[2] = 0x85; // QR, AA, RD
    expected[7] = 1;
    const Bytes record{0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 20, 30, 255};
    expected.insert(expected.end(), record.begin(), record.end());
    CHECK(message == expected);
}

TEST_CASE("an AAAA answer is the prefix and the name's address")
{
    Bytes message = query(1, "010-000-000-000.dns64perf.test", 28);
    const Answered answered = answer_in_place(message, [] {
        answer_zones zones = test_zones();
        zones.zone[0].aaaa_share = 100;
        return zones;
    }());
    REQUIRE(answered.kind == ANSWER_AAAA);
    const Bytes data(message.end() - 16, message.end());
    CHECK(data == Bytes{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0});
}

TEST_CASE("what is not a test name gets its own kind")
{
    struct Row {
        const char *name;
        std::uint8_t type;
        answer_kind kind;
    };
    const Row rows[] = {
        {"dns64perf.test", DNS_TYPE_SOA, ANSWER_SOA},
        {"dns64perf.test", DNS_TYPE_NS, ANSWER_NS},
        {"dns64perf.test", DNS_TYPE_ANY, ANSWER_HINFO},
        {"dns64perf.test", DNS_TYPE_A, ANSWER_NODATA},
        {"ns.dns64perf.test", DNS_TYPE_A, ANSWER_NODATA},
        {"010-000-000-001.dns64perf.test", 16, ANSWER_NODATA},
        {"256-000-000-001.dns64perf.test", DNS_TYPE_A, ANSWER_NXDOMAIN},
        {"x.010-000-000-001.dns64perf.test", DNS_TYPE_A, ANSWER_NXDOMAIN},
        {"010-000-000-001.xdns64perf.test", DNS_TYPE_A, ANSWER_REFUSED},
        {"test", DNS_TYPE_A, ANSWER_REFUSED},
        {"", DNS_TYPE_NS, ANSWER_REFUSED},
        {"dns64perf.test", DNS_TYPE_AXFR, ANSWER_REFUSED},
    };
    for (const Row &row : rows) {
        CAPTURE(row.name, row.type);
        Bytes message = query(7, row.name, row.type);
        CHECK(answer_in_place(message, test_zones()).kind == row.kind);
    }
}

TEST_CASE("responses and stumps are never answered")
{
    Bytes response = query(7, "010-000-000-001.dns64perf.test", 1);
    response[2] |= 0x80;
    CHECK(answer_in_place(response, test_zones()).length == 0);
    for (std::size_t length = 0; length < DNS_HEADER_SIZE; length++) {
        Bytes stump(length);
        const Answered answered = answer_in_place(stump, test_zones());
        CHECK(answered.kind == ANSWER_IGNORED);
        CHECK(answered.length == 0);
    }
}

TEST_CASE("a query cut off anywhere after its header is a format error of twelve octets")
{
    const Bytes whole = query(7, "010-000-000-001.dns64perf.test", 1);
    for (std::size_t length = DNS_HEADER_SIZE; length < whole.size(); length++) {
        Bytes message(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        const Answered answered = answer_in_place(message, test_zones());
        CAPTURE(length);
        CHECK(answered.kind == ANSWER_FORMERR);
        CHECK(answered.length == DNS_HEADER_SIZE);
    }
}

TEST_CASE("an answer over a connection has the options of its query")
{
    const answer_zones zones = test_zones();
    Counters counters;
    Bytes asked = query(7, "010-000-000-001.dns64perf.test", 1);
    asked[11] = 1; // an OPT record, with keepalive, another option and padding
    const Bytes opt{0, 0, 41, 4, 208, 0, 0, 0,  0, 0, 14, 0, 11,
                    0, 0, 0,  3, 0,   0, 0, 12, 0, 2, 0,  0};
    asked.insert(asked.end(), opt.begin(), opt.end());
    const auto answer = [&](const StreamOptions &options) {
        ZoneAnswerer answerer(zones, counters, options);
        Bytes message = asked;
        message.resize(answerer.room(asked.size()));
        message.resize(answerer.answer(message, asked.size()));
        return message;
    };
    const Bytes plain = answer({});
    const Bytes over_tcp = answer({.keepalive = 100});
    const Bytes over_tls = answer({.keepalive = 100, .pads = true});

    Bytes expected = plain;
    expected.back() = 6;
    const Bytes keepalive{0, 11, 0, 2, 0, 100};
    expected.insert(expected.end(), keepalive.begin(), keepalive.end());
    CHECK(over_tcp == expected);

    const std::size_t padding = StreamOptions::block - expected.size() - 4;
    expected[plain.size() - 2] = static_cast<std::uint8_t>((10 + padding) >> 8);
    expected[plain.size() - 1] = static_cast<std::uint8_t>(10 + padding);
    const Bytes head{0, 12, static_cast<std::uint8_t>(padding >> 8),
                     static_cast<std::uint8_t>(padding)};
    expected.insert(expected.end(), head.begin(), head.end());
    expected.resize(StreamOptions::block);
    CHECK(over_tls == expected);

    asked.resize(asked.size() - opt.size());
    asked[11] = 0;
    CHECK(answer({.keepalive = 100, .pads = true}) == answer({}));
}

TEST_CASE("TCP: a query that comes octet by octet is answered with its last octet")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    const Bytes octets = framed(query(0x1234, "010-000-000-001.dns64perf.test", 1));
    for (std::size_t i = 0; i + 1 < octets.size(); i++) {
        REQUIRE(feed(stream, std::span(octets).subspan(i, 1)) == 1);
        REQUIRE(stream.output().empty());
    }
    feed(stream, std::span(octets).last(1));
    CHECK(answer_ids(stream.output()) == std::vector<unsigned>{0x1234});
    CHECK(counters.of(ANSWER_A) == 1);
}

TEST_CASE("TCP: pipelined queries are answered in order, in pieces of any size")
{
    const answer_zones zones = test_zones();
    const Bytes octets = framed_queries(0, 100);
    for (const std::size_t piece : {1U, 2U, 3U, 47U, 48U, 49U, 1000U, 100000U}) {
        CAPTURE(piece);
        Counters counters;
        ZoneAnswerer answerer(zones, counters);
        TcpStream stream(answerer);
        std::size_t done = 0;
        while (done < octets.size())
            done += feed(stream,
                         std::span(octets).subspan(done, std::min(piece, octets.size() - done)));
        const std::vector<unsigned> ids = answer_ids(stream.output());
        REQUIRE(ids.size() == 100);
        CHECK(std::ranges::is_sorted(ids));
        CHECK(std::set(ids.begin(), ids.end()).size() == 100);
    }
}

TEST_CASE("TCP: output sent in pieces is what was to be sent")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    feed(stream, framed_queries(0, 20));
    const Bytes expected(stream.output().begin(), stream.output().end());
    Bytes sent;
    while (!stream.output().empty()) {
        const std::size_t count = std::min<std::size_t>(stream.output().size(), 7);
        sent.insert(sent.end(), stream.output().begin(),
                    stream.output().begin() + static_cast<std::ptrdiff_t>(count));
        stream.sent(count);
    }
    CHECK(sent == expected);
}

TEST_CASE("TCP: who does not read gets no more answers, and all of them when it reads again")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    const Bytes octets = framed_queries(0, 5000);
    std::size_t done = 0;
    while (stream.wants_input() && done < octets.size())
        done += feed(stream, std::span(octets).subspan(done));
    REQUIRE(done < octets.size());
    // An answer is at most twice as long as its query here.
    CHECK(stream.output().size() < 65536 + 2 * read_size);

    std::vector<unsigned> ids;
    while (done < octets.size() || !stream.output().empty()) {
        const std::vector<unsigned> more = answer_ids(stream.output());
        ids.insert(ids.end(), more.begin(), more.end());
        stream.sent(stream.output().size());
        if (stream.wants_input())
            done += feed(stream, std::span(octets).subspan(done));
    }
    REQUIRE(ids.size() == 5000);
    for (unsigned i = 0; i < ids.size(); i++)
        REQUIRE(ids[i] == i);
}

TEST_CASE("TCP: who reads a part of the answers gets as many more, and never all")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    const Bytes octets = framed_queries(0, 20000);
    std::size_t done = 0;
    Bytes sent;
    while (done < octets.size()) {
        while (stream.wants_input() && done < octets.size())
            done += feed(stream, std::span(octets).subspan(done));
        const std::span<const std::uint8_t> some = stream.output().first(1001);
        sent.insert(sent.end(), some.begin(), some.end());
        stream.sent(some.size());
        REQUIRE((done == octets.size() || stream.output().size() > 64000));
    }
    sent.insert(sent.end(), stream.output().begin(), stream.output().end());
    stream.sent(stream.output().size());
    sent.insert(sent.end(), stream.output().begin(), stream.output().end());
    const std::vector<unsigned> ids = answer_ids(sent);
    REQUIRE(ids.size() == 20000);
    for (unsigned i = 0; i < ids.size(); i++)
        REQUIRE(ids[i] == i);
}

TEST_CASE("TCP: an answer is unsent until its last octet is sent")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    feed(stream, framed_queries(0, 3));
    const std::size_t size = stream.output().size() / 3;
    CHECK(stream.unsent() == 3);
    stream.sent(size - 1);
    CHECK(stream.unsent() == 3);
    stream.sent(1);
    CHECK(stream.unsent() == 2);
    stream.sent(size + 1);
    CHECK(stream.unsent() == 1);
    stream.sent(size - 1);
    CHECK(stream.unsent() == 0);
}

TEST_CASE("TCP: messages that get no answer do not disturb the ones around them")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    Bytes octets = framed({});
    for (const Bytes &message : {Bytes(11, 0), query(1, "010-000-000-001.dns64perf.test", 1),
                                 Bytes(11, 0xff), query(2, "010-000-000-001.dns64perf.test", 1)}) {
        const Bytes one = framed(message);
        octets.insert(octets.end(), one.begin(), one.end());
    }
    feed(stream, octets);
    CHECK(answer_ids(stream.output()) == std::vector<unsigned>{1, 2});
    CHECK(counters.of(ANSWER_IGNORED) == 3);
}

TEST_CASE("TCP: the longest message there can be is taken")
{
    const answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    Bytes message = query(9, "010-000-000-001.dns64perf.test", 1);
    message.resize(65535);
    const Bytes octets = framed(message);
    std::size_t done = 0;
    while (done < octets.size())
        done += feed(stream, std::span(octets).subspan(done));
    CHECK(answer_ids(stream.output()) == std::vector<unsigned>{9});
    CHECK(counters.of(ANSWER_FORMERR) == 1);
}

namespace
{

// What a client gets that asks ten questions at once on a connection with a fault.
struct Faulty {
    Faulty(ConnectionFault kind, std::uint32_t number)
        : stream(answerer, {.kind = kind, .number = number, .counts = &counts})
    {
        feed(stream, framed_queries(0, 10));
    }

    [[nodiscard]] std::vector<unsigned> ids() const { return answer_ids(stream.output()); }

    answer_zones zones = test_zones();
    Counters counters;
    ZoneAnswerer answerer{zones, counters};
    ConnectionFaultCount counts;
    TcpStream stream;
};

} // namespace

TEST_CASE("TCP: a connection that fails answers the first queries alone")
{
    const ConnectionFault kind =
        GENERATE(ConnectionFault::reset, ConnectionFault::close, ConnectionFault::stall);
    Faulty faulty(kind, 7);
    CHECK(faulty.ids() == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6});
    CHECK(faulty.stream.shows(kind));
    CHECK(faulty.counts.connections == 1);
    CHECK(faulty.counts.queries == 3);
    CHECK(faulty.counters.of(ANSWER_A) == 7);
    CHECK(!Faulty(kind, 10).stream.shows(kind));
    CHECK(Faulty(kind, 0).ids().empty());
}

TEST_CASE("TCP: answers change places in pairs")
{
    Faulty faulty(ConnectionFault::swap, 0);
    CHECK(faulty.ids() == std::vector<unsigned>{1, 0, 3, 2, 5, 4, 7, 6, 9, 8});
    feed(faulty.stream, framed_queries(10, 1));
    CHECK(faulty.ids().size() == 10);
    CHECK(faulty.stream.unsent() == 11);
    faulty.stream.sent(faulty.stream.output().size());
    CHECK(faulty.stream.output().empty());
    CHECK(faulty.counts.queries == 10);
    SECTION("the last one goes with the next")
    {
        feed(faulty.stream, framed_queries(11, 1));
        CHECK(faulty.ids() == std::vector<unsigned>{11, 10});
        CHECK(faulty.counts.queries == 12);
    }
    SECTION("the last one goes when no other can come")
    {
        faulty.stream.ended();
        CHECK(faulty.ids() == std::vector<unsigned>{10});
        CHECK(faulty.counts.queries == 10);
    }
    CHECK(faulty.counts.connections == 1);
}

TEST_CASE("TCP: answers wait until there are as many as leave together")
{
    Faulty faulty(ConnectionFault::coalesce, 4);
    CHECK(faulty.ids() == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7});
    faulty.stream.sent(faulty.stream.output().size());
    CHECK(faulty.stream.unsent() == 2);
    feed(faulty.stream, framed_queries(10, 1));
    CHECK(faulty.stream.output().empty());
    feed(faulty.stream, framed_queries(11, 1));
    CHECK(faulty.ids() == std::vector<unsigned>{8, 9, 10, 11});
    CHECK(faulty.counts.connections == 1);
    CHECK(faulty.counts.queries == 12);
}

TEST_CASE("answers are counted by the type that was asked for")
{
    struct Row {
        const char *name;
        std::uint8_t type;
        unsigned counted;
        unsigned rcode;
    };
    const Row rows[] = {
        {"010-000-000-001.dns64perf.test", DNS_TYPE_A, FAKEDNS_TYPE_A, DNS_RCODE_NOERROR},
        {"010-000-000-099.dns64perf.test", DNS_TYPE_AAAA, FAKEDNS_TYPE_AAAA, DNS_RCODE_NOERROR},
        {"x.dns64perf.test", DNS_TYPE_AAAA, FAKEDNS_TYPE_AAAA, DNS_RCODE_NXDOMAIN},
        {"test", DNS_TYPE_A, FAKEDNS_TYPE_A, DNS_RCODE_REFUSED},
        {"dns64perf.test", DNS_TYPE_NS, FAKEDNS_TYPE_OTHER, DNS_RCODE_NOERROR},
    };
    for (const Row &row : rows) {
        CAPTURE(row.name, row.type);
        const answer_zones zones = test_zones();
        Counters counters;
        ZoneAnswerer answerer(zones, counters);
        TcpStream stream(answerer);
        feed(stream, framed(query(1, row.name, row.type)));
        for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
            for (const Rcode &rcode : rcodes)
                CHECK(counters.answers(type, rcode.value) ==
                      (type == row.counted && rcode.value == row.rcode));
    }

    Bytes broken = query(1, "010-000-000-001.dns64perf.test", DNS_TYPE_AAAA);
    broken.push_back(0);
    CHECK(answer_in_place(broken, test_zones()).type == FAKEDNS_TYPE_OTHER);
}

namespace
{

// Returns the figures of the row of this name; empty if there is not exactly one such row.
std::vector<std::uint64_t> figures(const std::string &table, const std::string &name)
{
    std::vector<std::uint64_t> found;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first != name)
            continue;
        if (!found.empty())
            return {};
        for (std::uint64_t figure = 0; words >> figure;)
            found.push_back(figure);
    }
    return found;
}

} // namespace

TEST_CASE("every counter has a name of its own and a row in the table")
{
    const std::string table = counters_table({});
    std::set<std::string_view> names;
    for (unsigned i = 0; i < COUNTERS; i++) {
        CHECK(counter_name(i) != "unknown");
        names.insert(counter_name(i));
        CHECK(figures(table, std::string(counter_name(i))) == std::vector<std::uint64_t>(7, 0));
    }
    CHECK(names.size() == COUNTERS);
}

TEST_CASE("the table adds up by path, by type, by RCODE and by queue")
{
    using Figures = std::vector<std::uint64_t>;
    ServerCounters counters;
    counters.queues = {{"d0", 0, {}}, {"d0", 3, {}}, {"e0", 0, {}}};
    counters.queues[0].counters.add(ANSWER_A, FAKEDNS_TYPE_A, 2);
    counters.queues[1].counters.add(ANSWER_NODATA, FAKEDNS_TYPE_AAAA, 5);
    counters.queues[2].counters.add(ANSWER_NODATA, FAKEDNS_TYPE_OTHER, 7);
    counters.queues[2].counters.add(FAKEDNS_PASSED, FAKEDNS_TYPE_OTHER, 100);
    counters.queues[2].counters.add(ANSWER_IGNORED, FAKEDNS_TYPE_OTHER, 50);
    counters.udp.add(ANSWER_A, FAKEDNS_TYPE_A, 3);
    counters.udp.add(COUNTER_UNSENT);
    counters.tcp.add(ANSWER_BADVERS, FAKEDNS_TYPE_AAAA, 4);
    counters.tls.add(ANSWER_SOA, FAKEDNS_TYPE_OTHER, 6);
    counters.https.add(ANSWER_SOA, FAKEDNS_TYPE_OTHER, 1);
    counters.tls_handshakes = {.full = 8, .resumed = 9, .failed = 10};
    counters.quic.add(ANSWER_SOA, FAKEDNS_TYPE_OTHER, 2);
    counters.https_handshakes = {.full = 20, .resumed = 30, .failed = 40};
    counters.quic_handshakes = {.full = 100, .resumed = 200, .failed = 300};
    const std::string table = counters_table(counters);
    CHECK(figures(table, "A") == Figures{2, 3, 0, 0, 0, 0, 5});
    CHECK(figures(table, "NODATA") == Figures{12, 0, 0, 0, 0, 0, 12});
    CHECK(figures(table, "passed") == Figures{100, 0, 0, 0, 0, 0, 100});
    CHECK(figures(table, "type-A") == Figures{2, 3, 0, 0, 0, 0, 5});
    CHECK(figures(table, "type-AAAA") == Figures{5, 0, 4, 0, 0, 0, 9});
    CHECK(figures(table, "type-other") == Figures{7, 0, 0, 6, 1, 2, 16});
    CHECK(figures(table, "rcode-NOERROR") == Figures{14, 3, 0, 6, 1, 2, 26});
    CHECK(figures(table, "rcode-BADVERS") == Figures{0, 0, 4, 0, 0, 0, 4});
    CHECK(figures(table, "rcode-SERVFAIL") == Figures{0, 0, 0, 0, 0, 0, 0});
    CHECK(figures(table, "queue-d0-0") == Figures{2, 0, 0, 0, 0, 0, 2});
    CHECK(figures(table, "queue-d0-3") == Figures{5, 0, 0, 0, 0, 0, 5});
    CHECK(figures(table, "queue-e0-0") == Figures{7, 0, 0, 0, 0, 0, 7});
    CHECK(figures(table, "handshakes-full") == Figures{0, 0, 0, 8, 20, 100, 128});
    CHECK(figures(table, "handshakes-resumed") == Figures{0, 0, 0, 9, 30, 200, 239});
    CHECK(figures(table, "handshakes-failed") == Figures{0, 0, 0, 10, 40, 300, 350});
}
