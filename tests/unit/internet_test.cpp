// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An Internet made of functions: shares, what servers answer, and that a resolver that follows
// their referrals finds what is predicted.
#include "dns/name_text.h"
#include "dns/query_type.h"
#include "internet/prediction.h"
#include "internet/world.h"
#include "internet/world_answer.h"
#include "internet/world_options.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace
{

// An Internet without bad servers and without loss.
WorldOptions sound_options()
{
    WorldOptions options;
    options.characters = {};
    options.loss = 0;
    return options;
}

std::vector<std::uint8_t> query_of(const WireName &name, std::uint16_t type, bool has_edns,
                                   std::uint16_t id = 77)
{
    std::vector<std::uint8_t> query(DNS_HEADER_SIZE);
    wire_put16(query.data(), id);
    query[5] = 1;
    query[11] = has_edns ? 1 : 0;
    query.insert(query.end(), name.octets().begin(), name.octets().end());
    query.insert(query.end(), {static_cast<std::uint8_t>(type >> 8),
                               static_cast<std::uint8_t>(type & 255), 0, 1});
    if (has_edns)
        query.insert(query.end(), {0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0});
    return query;
}

struct Record {
    std::string name;
    unsigned type = 0;
    std::uint32_t ttl = 0;
    std::string data; // a name as text, other data as octets

    auto operator<=>(const Record &) const = default;
};

struct Message {
    WorldAnswer answer;
    unsigned flags = 0;
    std::array<std::vector<Record>, 3> sections;

    [[nodiscard]] unsigned rcode() const { return flags & DNS_RCODE; }
    [[nodiscard]] bool is_authoritative() const { return (flags & DNS_AA) != 0; }
};

// A reference that reads messages, names compressed or not.
class Reader
{
public:
    explicit Reader(std::span<const std::uint8_t> message) : message_(message) {}

    std::string name()
    {
        std::string text;
        std::size_t at = at_;
        bool jumped = false;
        for (int i = 0; i < 200; i++) {
            const unsigned label = message_[at];
            if (label >= 0xc0) {
                const std::size_t to = (label & 0x3fU) << 8U | message_[at + 1];
                REQUIRE(to < at);
                if (!jumped)
                    at_ = at + 2;
                jumped = true;
                at = to;
                continue;
            }
            if (!jumped)
                at_ = at + 1 + label;
            if (label == 0)
                return text.empty() ? "." : text;
            for (unsigned c = 0; c < label; c++)
                text += escaped(message_[at + 1 + c]);
            text += '.';
            at += 1 + label;
        }
        FAIL("the name has no end");
        return {};
    }
    unsigned u16()
    {
        at_ += 2;
        return wire_get16(&message_[at_ - 2]);
    }
    std::uint32_t u32()
    {
        at_ += 4;
        return wire_get32(&message_[at_ - 4]);
    }
    Record record()
    {
        Record record{.name = name()};
        record.type = u16();
        u16();
        record.ttl = u32();
        const std::size_t end = u16() + at_;
        REQUIRE(end <= message_.size());
        if (record.type == DNS_TYPE_NS || record.type == type_cname || record.type == type_ptr) {
            record.data = name();
        } else if (record.type == type_mx) {
            record.data = std::to_string(u16()) + " ";
            record.data += name();
        } else {
            record.data.assign(reinterpret_cast<const char *>(&message_[at_]), end - at_);
            at_ = end;
        }
        REQUIRE(at_ == end);
        return record;
    }
    [[nodiscard]] bool is_at_end() const { return at_ == message_.size(); }

private:
    // RFC 1035 section 5.1.
    static std::string escaped(std::uint8_t octet)
    {
        if (std::isalnum(octet) != 0 || octet == '-' || octet == '*' || octet == '_')
            return {static_cast<char>(std::tolower(octet))};
        if (octet == '.' || octet == '\\')
            return {'\\', static_cast<char>(octet)};
        std::array<char, 5> digits{};
        std::snprintf(digits.data(), digits.size(), "\\%03u", unsigned{octet});
        return digits.data();
    }

    std::span<const std::uint8_t> message_;
    std::size_t at_ = 0;
};

Message ask(const World &world, ServerNumber server, const WireName &name, std::uint16_t type,
            bool is_tcp = false, bool has_edns = true)
{
    std::vector<std::uint8_t> buffer = query_of(name, type, has_edns);
    const std::size_t length = buffer.size();
    buffer.resize(world_answer_room);
    Message message;
    message.answer =
        answer_world_query(world, {.server = server, .is_tcp = is_tcp}, buffer, length);
    if (message.answer.length == 0)
        return message;
    Reader reader(std::span(buffer).first(message.answer.length));
    CHECK(reader.u16() == 77);
    message.flags = reader.u16();
    CHECK((message.flags & DNS_QR) != 0);
    REQUIRE(reader.u16() == 1);
    std::array<unsigned, 3> counts{reader.u16(), reader.u16(), reader.u16()};
    CHECK(reader.name() == name_text(name.octets()));
    CHECK(reader.u16() == type);
    reader.u16();
    for (unsigned section = 0; section < 3; section++)
        for (unsigned i = 0; i < counts[section]; i++) {
            const Record record = reader.record();
            if (record.type != DNS_TYPE_OPT)
                message.sections[section].push_back(record);
        }
    CHECK(reader.is_at_end());
    return message;
}

ServerNumber server_of(const World &world, const Record &address)
{
    const auto *data = reinterpret_cast<const std::uint8_t *>(address.data.data());
    return world.server_at({data, address.data.size()}).value();
}

struct Resolved {
    unsigned rcode = 0;
    std::set<std::tuple<std::string, unsigned, std::string>> records;
    std::string soa; // of a negative answer
};

// Resolves from the root, in the way of a simple resolver: the first server of every referral, by
// its glue, or by the address that its name resolves to.
Resolved resolve(const World &world, const WireName &name, std::uint16_t type, int depth = 0)
{
    REQUIRE(depth < 8);
    ServerNumber server = 1;
    std::string zone = ".";
    for (int step = 0; step < 12; step++) {
        Message message = ask(world, server, name, type);
        if ((message.flags & DNS_TC) != 0)
            message = ask(world, server, name, type, true);
        Resolved resolved{.rcode = message.rcode()};
        if (message.is_authoritative()) {
            for (const Record &record : message.sections[0])
                resolved.records.insert({record.name, record.type, record.data});
            if (message.sections[0].empty()) {
                REQUIRE(message.sections[1].size() == 1);
                CHECK(message.sections[1][0].type == DNS_TYPE_SOA);
                resolved.soa = message.sections[1][0].name;
            } else if (message.sections[0][0].type == type_cname && type != type_cname) {
                Resolved behind =
                    resolve(world, WireName::parse(message.sections[0][0].data), type, depth + 1);
                behind.records.merge(resolved.records);
                return behind;
            }
            return resolved;
        }
        REQUIRE(message.rcode() == 0);
        REQUIRE_FALSE(message.sections[1].empty());
        const Record &first = message.sections[1][0];
        REQUIRE(first.type == DNS_TYPE_NS);
        // A referral leads down.
        CHECK((zone == "." ? first.name != "." : first.name.ends_with("." + zone)));
        zone = first.name;
        const auto glue = std::ranges::find_if(message.sections[2], [&](const Record &record) {
            return record.name == first.data && record.type == DNS_TYPE_A;
        });
        if (glue != message.sections[2].end()) {
            server = server_of(world, *glue);
        } else {
            const Resolved address =
                resolve(world, WireName::parse(first.data), DNS_TYPE_A, depth + 1);
            REQUIRE(address.records.size() == 1);
            server = server_of(world, {.data = std::get<2>(*address.records.begin())});
        }
    }
    FAIL("the referrals have no end");
    return {};
}

std::string text_of(unsigned type, const std::string &data)
{
    if (type != DNS_TYPE_A && type != DNS_TYPE_AAAA)
        return data;
    IpAddress address{.is_ipv6 = type == DNS_TYPE_AAAA};
    std::ranges::copy(data, address.bytes.begin());
    return to_string(address);
}

// Checks what the resolver finds against the prediction; of TXT and others only how many there are.
void check_predicted(const World &world, const std::string &name, std::uint16_t type)
{
    INFO(name << ' ' << type);
    const auto line = Json::parse(prediction_line(world, WireName::parse(name), type));
    const Resolved found = resolve(world, WireName::parse(name), type);
    CHECK(line["rcode"] == (found.rcode == DNS_RCODE_NXDOMAIN ? "NXDOMAIN" : "NOERROR"));
    CHECK(line["reachable"] == "yes");
    CHECK(line["records"].size() == found.records.size());
    CHECK(line.value("soa", "") == found.soa);
    for (const auto &record : found.records) {
        // Not a structured binding: a lambda may not capture one, says clang 14.
        const std::string &owner = std::get<0>(record);
        const auto of = std::get<1>(record);
        const std::string shown = text_of(of, std::get<2>(record));
        CHECK(std::ranges::any_of(line["records"], [&](const auto &one) {
            return one["name"] == owner &&
                   one["type"] == query_type_text(static_cast<std::uint16_t>(of)) &&
                   (of == type_txt || of == type_https || of == type_caa || of == DNS_TYPE_SOA ||
                    of > 1023 || one["data"] == shown);
        }));
    }
}

std::string numbered(const char *format, unsigned number)
{
    std::array<char, 80> text{};
    std::snprintf(text.data(), text.size(), format, number);
    return text.data();
}

} // namespace

TEST_CASE("each share is exact in an aligned thousand of numbered names")
{
    const World world{WorldOptions{}};
    for (const char *format : {"shop%05u.com", "x%u.org"}) {
        unsigned registered = 0;
        for (unsigned i = 7000; i < 8000; i++)
            registered += world.fate(WireName::parse(numbered(format, i))).zone_count == 3 ? 1 : 0;
        CHECK(registered == 700);
    }
    // A zone that exists.
    std::map<NodeKind, unsigned> nodes;
    for (unsigned i = 0; i < 1000; i++)
        nodes[world.fate(WireName::parse(numbered("host%03u.dns-000.net", i))).node]++;
    CHECK(nodes[NodeKind::absent] == 1000);
    const auto exists = [&](const std::string &zone) {
        const NameFate fate = world.fate(WireName::parse(zone));
        return fate.node == NodeKind::apex && fate.zone().kind == ZoneKind::domain;
    };
    unsigned zone = 0;
    while (!exists(numbered("zone%u.net", zone)))
        zone++;
    nodes.clear();
    unsigned wild = 0;
    const std::string format = "host%03u." + numbered("zone%u.net", zone);
    for (unsigned i = 0; i < 1000; i++) {
        const NameFate fate = world.fate(WireName::parse(numbered(format.c_str(), i)));
        wild += fate.is_wildcard ? 1 : 0;
        nodes[fate.node]++;
    }
    CHECK(nodes[NodeKind::absent] + wild == 300);
    CHECK(nodes[NodeKind::alias] == 100);
    CHECK(nodes[NodeKind::empty] == 20);
    CHECK(nodes[NodeKind::apex] == 30);
    CHECK(nodes[NodeKind::host] - wild == 550);
}

TEST_CASE("below a wildcard all that does not exist has the wildcard's records")
{
    WorldOptions options = sound_options();
    options.registered = options.absent = options.wildcards = NameHash::places;
    const World world(options);
    const auto fate_of = [&](const std::string &name) {
        Json fate = Json::parse(prediction_line(world, WireName::parse(name), DNS_TYPE_A));
        for (Json &record : fate["records"])
            record.erase("name");
        return fate;
    };
    // With "d10.com" a name of 255 octets.
    const std::string label(63, 'x');
    const std::string longest = label + "." + label + "." + label + "." + label.substr(0, 53);
    std::size_t with_records = 0;
    for (int number = 10; number < 30; number++) {
        const std::string zone = "d" + std::to_string(number) + ".com";
        const Json wildcard = fate_of("*." + zone);
        with_records += wildcard["records"].size();
        for (const std::string &below :
             {std::string("x"), std::string("y"), std::string("a.x"), longest}) {
            const Json fate = fate_of(below + "." + zone);
            CHECK(fate["wildcard"] == true);
            CHECK(fate["node"] == wildcard["node"]);
            CHECK(fate["records"] == wildcard["records"]);
        }
    }
    CHECK(with_records > 0);
}

TEST_CASE("a DS record's absence is told by the zone above")
{
    const World world(sound_options());
    const auto soa_of = [&](const char *name) {
        return Json::parse(prediction_line(world, WireName::parse(name), type_ds))["soa"];
    };
    CHECK(soa_of("com") == ".");
    CHECK(soa_of("dns-017.com") == "com.");
}

TEST_CASE("names without a number have shares as a random sample has them")
{
    const World world{WorldOptions{}};
    unsigned registered = 0;
    for (unsigned i = 0; i < 10000; i++)
        registered += world.fate(WireName::parse(numbered("n%ux.com", i))).zone_count == 3 ? 1 : 0;
    CHECK(registered > 6770); // five standard deviations
    CHECK(registered < 7230);
}

TEST_CASE("characters are exact for an aligned thousand servers, and registries' servers are sound")
{
    const World world{WorldOptions{}};
    std::array<unsigned, server_characters> counts{};
    for (ServerNumber server = 20000; server < 21000; server++)
        counts[static_cast<unsigned>(world.character(server))]++;
    const WorldOptions options;
    for (unsigned i = 1; i < server_characters; i++)
        CHECK(counts[i] == options.characters[i]);
    for (ServerNumber server = 1; server < 2048; server++)
        REQUIRE(world.character(server) == ServerCharacter::sound);
}

TEST_CASE("a resolver finds what is predicted")
{
    const World world{sound_options()};
    for (const char *name :
         {".", "com", "co.uk", "nosuchtld", "root-servers.net", "a.root-servers.net", "dns-000.net",
          "ns1.dns-000.net", "ns1.com", "c2-0123456789abcdef.cdn-001.com", "lost.cdn-000.net"})
        for (const int type : {DNS_TYPE_A, DNS_TYPE_NS, DNS_TYPE_SOA})
            check_predicted(world, name, static_cast<std::uint16_t>(type));
    for (unsigned i = 0; i < 300; i++) {
        check_predicted(world, numbered("www.d%u.com", i), DNS_TYPE_A);
        check_predicted(world, numbered("d%u.co.uk", i), type_mx);
        check_predicted(world, numbered("a%u.b.c.example.org", i), DNS_TYPE_AAAA);
        check_predicted(world, numbered("d%u.net", i), DNS_TYPE_NS);
        check_predicted(world, numbered("txt%u.example.net", i), type_txt);
        check_predicted(world, numbered("www.h%u.de", i), type_https);
        check_predicted(world, numbered("%u.0.2.192.in-addr.arpa", i), type_ptr);
    }
}

TEST_CASE("a server answers for its zones, refers down, and refuses all else")
{
    const World world{sound_options()};
    const WireName name = WireName::parse("www.example.org");
    const Message root = ask(world, 1, name, DNS_TYPE_A);
    CHECK(root.answer.kind == WorldAnswerKind::referral);
    CHECK_FALSE(root.is_authoritative());
    CHECK(root.sections[1].size() == 4);
    CHECK(root.sections[2].size() == 8); // A and AAAA records of each
    const Message other = ask(world, 20000, name, DNS_TYPE_A);
    CHECK(other.rcode() == DNS_RCODE_REFUSED);
    const Message none = ask(world, 0, name, DNS_TYPE_A);
    CHECK(none.rcode() == DNS_RCODE_REFUSED);
    CHECK(none.answer.delay_ns == 0);
    CHECK(ask(world, 1, WireName(), DNS_TYPE_NS).sections[0].size() == 13);
    CHECK(ask(world, 1, WireName(), DNS_TYPE_NS, false, false).answer.length <= 512);
    CHECK(ask(world, 1, WireName(), DNS_TYPE_ANY).sections[0][0].type == DNS_TYPE_HINFO);
    // DS belongs to the zone above: an answer, no referral.
    CHECK(ask(world, 1, WireName::parse("org"), type_ds).answer.kind == WorldAnswerKind::nodata);
}

TEST_CASE("servers have the characters that the options give")
{
    const auto asked = [](ServerCharacter character, bool is_tcp, bool has_edns) {
        WorldOptions options = sound_options();
        options.characters[static_cast<unsigned>(character)] = 1000;
        const World world(options);
        return ask(world, 20000, WireName::parse("www.example.org"), DNS_TYPE_A, is_tcp, has_edns);
    };
    CHECK(asked(ServerCharacter::servfail, false, true).rcode() == DNS_RCODE_SERVFAIL);
    CHECK(asked(ServerCharacter::refused, false, true).rcode() == DNS_RCODE_REFUSED);
    CHECK(asked(ServerCharacter::silent, false, true).answer.length == 0);
    CHECK(asked(ServerCharacter::no_edns, false, true).rcode() == DNS_RCODE_FORMERR);
    CHECK(asked(ServerCharacter::no_edns, false, false).rcode() == DNS_RCODE_REFUSED);
    CHECK((asked(ServerCharacter::truncating, false, true).flags & DNS_TC) != 0);
    CHECK((asked(ServerCharacter::truncating, true, true).flags & DNS_TC) == 0);
    CHECK(asked(ServerCharacter::slow, false, true).answer.delay_ns >= 2'000'000'000);
    const Message lame = asked(ServerCharacter::lame, false, true);
    CHECK_FALSE(lame.is_authoritative());
    CHECK(lame.sections[1].at(0).name == ".");
}

TEST_CASE("a query is lost by its ID, in the share")
{
    WorldOptions options = sound_options();
    options.loss = 100;
    const World world(options);
    unsigned lost = 0;
    for (unsigned id = 0; id < 10000; id++)
        lost +=
            world.loses(7, WireName::parse("example.org"), static_cast<std::uint16_t>(id)) ? 1 : 0;
    CHECK(lost > 850); // five standard deviations
    CHECK(lost < 1150);
}

TEST_CASE("a line of the file that is wrong is named")
{
    const ScratchDirectory directory;
    const auto read = [&](const std::string &content) {
        std::ofstream(directory.file("world.toml")) << content;
        return read_world_file(directory.file("world.toml"));
    };
    CHECK(read("absent = \"12.5%\"\nseed = \"x\"\n").absent == 125);
    CHECK(read("servers-ipv6 = \"\"\n").ipv6.length == 0);
    CHECK(read("latency = \"0ms\"\n").latency.back() == 0);
    CHECK(read("ttl = [\"5 100%\"]\n").ttl.front().value == 5);
    CHECK_THROWS_WITH(read("absnt = \"1%\"\n"), Contains("world.toml:1") && Contains("absent"));
    CHECK_THROWS_WITH(read("\nabsent = \"1.25%\"\n"), Contains("world.toml:2: absent"));
    CHECK_THROWS_WITH(read("absent = \"90%\"\nalias = \"20%\"\n"), Contains("above 100%"));
    CHECK_THROWS_WITH(read("ttl = [\"5 50%\"]\n"), Contains("must be 100%"));
    CHECK_THROWS_WITH(read("servers-ipv4 = \"198.18.0.0/30\"\n"), Contains("from 8 to 22"));
    CHECK_THROWS_WITH(read("servers-ipv4 = \"198.18.0.1/22\"\n"), Contains("bits set"));
    CHECK_THROWS_WITH(read("characters = [\"rude 1%\"]\n"), Contains("none of lame"));
    CHECK_THROWS_WITH(read("types = [\"PTR 1%\"]\n"), Contains("only A, AAAA"));
}

TEST_CASE("listed names exist, with the types and TTLs of the list")
{
    const ScratchDirectory directory;
    const std::string file = directory.file("names");
    std::ofstream(file) << "a.b.nosuch1.com. A 30 TXT 40\nwww.nosuch2.topless. CNAME 50\n"
                           "mail.nosuch3.org.\n4.3.2.1.in-addr.arpa PTR 60\n";
    const World world(sound_options(), ListedNames(file));
    const auto found = [&](const char *name, std::uint16_t type) {
        check_predicted(world, name, type);
        return Json::parse(prediction_line(world, WireName::parse(name), type));
    };
    CHECK(found("a.b.nosuch1.com", DNS_TYPE_A)["records"].at(0)["ttl"] == 30);
    CHECK(found("a.b.nosuch1.com", type_txt)["records"].at(0)["ttl"] == 40);
    CHECK(found("a.b.nosuch1.com", DNS_TYPE_AAAA)["records"].empty());
    CHECK(found("b.nosuch1.com", DNS_TYPE_A)["rcode"] == "NOERROR");
    CHECK(found("www.nosuch2.topless", DNS_TYPE_A)["records"].at(0)["ttl"] == 50);
    CHECK(found("mail.nosuch3.org", DNS_TYPE_A)["records"].empty());
    CHECK(found("4.3.2.1.in-addr.arpa", type_ptr)["records"].size() == 1);
    CHECK(found("4.3.2.1.in-addr.arpa", DNS_TYPE_A)["records"].empty());

    std::ofstream(file) << "a.com A\n";
    CHECK_THROWS_WITH(ListedNames(file), Contains("names:1") && Contains("TTL"));
    std::ofstream(file) << "a.com BOGUS 5\n";
    CHECK_THROWS_WITH(ListedNames(file), Contains("names:1: \"BOGUS\" is no type"));
    std::ofstream(file) << "a\\256.com A 5\n";
    CHECK_THROWS_WITH(ListedNames(file), Contains("names:1") && Contains("three digits"));
    std::ofstream(file) << "a.com A 5\na..com A 5\n";
    CHECK_THROWS_WITH(ListedNames(file), Contains("names:2"));
}

TEST_CASE("listed names may hold any octets, and have any types")
{
    const ScratchDirectory directory;
    const std::string file = directory.file("names");
    std::ofstream(file) << "# a comment\n; another one\n"
                           R"(a\.b\000\092.nosuch1.com. A 30 TYPE65280 40 NAPTR 50 TYPE16 60)"
                           "\r\n"
                           R"(\035c\255\032.\068.nosuch1.com type1 70)"
                           "\n";
    const World world(sound_options(), ListedNames(file));
    const auto found = [&](const char *name, std::uint16_t type) {
        check_predicted(world, name, type);
        return Json::parse(prediction_line(world, WireName::parse(name), type));
    };
    const char *first = R"(a\046b\000\\.nosuch1.com)";
    const char *first_as_written = R"(a\.b\000\\.nosuch1.com.)";
    CHECK(found(first, DNS_TYPE_A)["name"] == first_as_written);
    CHECK(found(first, DNS_TYPE_A)["records"].at(0)["ttl"] == 30);
    CHECK(found(first, type_txt)["records"].at(0)["ttl"] == 60);
    // A resolver takes any data of a type that has no form, and of NAPTR only what is right.
    const auto opaque = found(first, 65280)["records"].at(0);
    CHECK(opaque["type"] == "TYPE65280");
    CHECK(opaque["ttl"] == 40);
    CHECK_THAT(opaque["data"].get<std::string>(), Catch::Matchers::StartsWith("\\# 16 "));
    CHECK(found(first, 35)["records"].empty());
    CHECK(found("b.nosuch1.com", DNS_TYPE_A)["name"] == "b.nosuch1.com.");
    // Letters are small in wire form, escaped ones too.
    CHECK(found(R"(\#c\255\032.d.nosuch1.com)", DNS_TYPE_A)["records"].at(0)["ttl"] == 70);
}

TEST_CASE("with an epoch TTLs count down")
{
    const World world{sound_options()};
    const WireName name;
    const auto ttl_at = [&](std::uint64_t seconds) {
        std::vector<std::uint8_t> buffer = query_of(name, DNS_TYPE_SOA, false);
        const std::size_t length = buffer.size();
        buffer.resize(world_answer_room);
        const WorldAnswer answer =
            answer_world_query(world, {.server = 1, .seconds = seconds}, buffer, length);
        REQUIRE(answer.kind == WorldAnswerKind::records);
        return wire_get32(&buffer[length + 5]); // after the root's name, type and class
    };
    CHECK(ttl_at(0) == 900);
    CHECK(ttl_at(1) == 899);
    CHECK(ttl_at(900) == 900);
    CHECK(ttl_at(1799) == 1);
}

TEST_CASE("beyond the limit an answer is no longer than its query, and says TC")
{
    const World world{WorldOptions{}};
    const bool has_edns = GENERATE(false, true);
    for (const char *name : {".", "com.", "www.nosuch1.com."}) {
        std::vector<std::uint8_t> buffer = query_of(WireName::parse(name), DNS_TYPE_NS, has_edns);
        const std::size_t length = buffer.size();
        buffer.resize(world_answer_room);
        const WorldAnswer answer =
            answer_world_query(world, {.server = 1, .is_limited = true}, buffer, length);
        CHECK(answer.kind == WorldAnswerKind::limited);
        CHECK(answer.length <= length);
        CHECK((wire_get16(&buffer[2]) & DNS_TC) != 0);
    }
}
