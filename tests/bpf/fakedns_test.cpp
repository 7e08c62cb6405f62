// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests fakedns in the kernel: hands it a frame, and checks action, frame and counters. The packet
// builder, which shares no code with fakedns, writes the expected frames.
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>

#include <map>
#include <utility>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::uint16_t aa = 0x8500; // QR, AA and the query's RD
constexpr std::uint16_t not_aa = 0x8100;
constexpr std::uint16_t header_size = 12;

const std::string zone = "dns64perf.test";
const std::string ten = "010-000-000-000.dns64perf.test"; // the first of the 60 % with an AAAA

// The layers around the message: fakedns answers every combination alike.
struct Path {
    bool is_ipv6 = false;
    bool has_vlan = false;
};

// Returns the program, loaded once: the verifier takes a second for it.
const FakednsProgram &fakedns_program()
{
    static const FakednsProgram program{fakedns_test_config()};
    return program;
}

Path generate_path()
{
    return {.is_ipv6 = GENERATE(false, true), .has_vlan = GENERATE(false, true)};
}

Packet link(const Path &path, const Ethernet &ethernet)
{
    return path.has_vlan ? ethernet / Vlan{.tag = 0x6123} : Packet{{ethernet}};
}

// Returns a query's frame. Fields that may differ between packets differ from their defaults,
// whether they must come back or not.
Bytes there(const Path &path, const Bytes &message, const Udp &udp = {})
{
    const Layer ip = path.is_ipv6
                         ? Layer{Ipv6{.version_class_and_flow = 0x6a5b1234, .hop_limit = 7}}
                         : Layer{Ipv4{.traffic_class = 0xb8, .id = 0xbeef, .ttl = 7}};
    return link(path, {}) / ip / udp / Payload{message};
}

// Returns the frame of the answer.
Bytes back(const Path &path, const Bytes &message, const Udp &query = {})
{
    const Ethernet there{};
    const Ipv4 there4{};
    const Ipv6 there6{};
    const Layer ip = path.is_ipv6 ? Layer{Ipv6{.version_class_and_flow = 0x6a5b1234,
                                               .source = there6.target,
                                               .target = there6.source}}
                                  : Layer{Ipv4{.traffic_class = 0xb8,
                                               .id = 0xbeef,
                                               .source = there4.target,
                                               .target = there4.source}};
    return link(path, {.target = there.source, .source = there.target}) / ip /
           Udp{.source_port = query.target_port, .target_port = query.source_port} /
           Payload{message};
}

DnsMessage query_for(const std::string &name, std::uint16_t type)
{
    return {.questions = {{.name = dns_name(name), .type = type}}};
}

DnsMessage answer_to(DnsMessage query, std::uint16_t flags, std::vector<DnsRecord> answers = {},
                     std::vector<DnsRecord> authorities = {})
{
    query.flags = flags;
    query.answers = std::move(answers);
    query.authorities = std::move(authorities);
    return query;
}

// Returns `bytes` and then a compression pointer to the zone, which stands `before` octets after
// the start of the question's name.
Bytes with_zone_pointer(std::string_view bytes, std::size_t before)
{
    Bytes all(bytes.begin(), bytes.end());
    all.push_back(0xc0);
    all.push_back(static_cast<std::uint8_t>(header_size + before));
    return all;
}

DnsRecord soa_record(std::size_t before)
{
    Bytes data = with_zone_pointer("\2ns", before);
    const Bytes mailbox = with_zone_pointer("\12hostmaster", before);
    data.insert(data.end(), mailbox.begin(), mailbox.end());
    // Serial 1, refresh 86400, retry 7200, expire 3600000, minimum 300
    const Bytes numbers = from_hex("00000001 00015180 00001c20 0036ee80 0000012c");
    data.insert(data.end(), numbers.begin(), numbers.end());
    return {.owner = with_zone_pointer("", before), .type = 6, .ttl = 300, .data = data};
}

DnsRecord a_record(Bytes address)
{
    return {.type = 1, .data = std::move(address)};
}

DnsRecord aaaa_record(std::string_view hex)
{
    return {.type = 28, .data = from_hex(hex)};
}

// How often one run raised each counter, by the type asked for. Counters that it did not raise are
// left out.
using Counted = std::map<std::pair<unsigned, unsigned>, std::uint64_t>;

Counted once(unsigned counter, unsigned type = FAKEDNS_TYPE_OTHER)
{
    return {{{counter, type}, 1}};
}

unsigned asked(std::uint16_t type)
{
    return type == 1 ? FAKEDNS_TYPE_A : type == 28 ? FAKEDNS_TYPE_AAAA : FAKEDNS_TYPE_OTHER;
}

struct Outcome {
    RunResult result;
    Counted counted;
};

Outcome run(const FakednsProgram &program, const Bytes &frame)
{
    const fakedns_counters before = program.counters();
    Outcome outcome{.result = program.run(frame), .counted = {}};
    const fakedns_counters after = program.counters();
    for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
        for (unsigned i = 0; i < FAKEDNS_COUNTERS; i++)
            if (after.value[type][i] != before.value[type][i])
                outcome.counted[{i, type}] = after.value[type][i] - before.value[type][i];
    return outcome;
}

void check_answered(const Bytes &frame, const Bytes &expected, const Counted &counted,
                    const FakednsProgram &program = fakedns_program())
{
    const Outcome outcome = run(program, frame);
    CHECK(outcome.result.action == XDP_TX);
    CHECK(hexdump(outcome.result.bytes) == hexdump(expected));
    CHECK(outcome.counted == counted);
}

void check_passed(const Bytes &frame, unsigned counter = FAKEDNS_PASSED)
{
    const Outcome outcome = run(fakedns_program(), frame);
    CHECK(outcome.result.action == XDP_PASS);
    CHECK(hexdump(outcome.result.bytes) == hexdump(frame));
    CHECK(outcome.counted == once(counter));
}

void check_dropped(const Bytes &frame)
{
    const Outcome outcome = run(fakedns_program(), frame);
    CHECK(outcome.result.action == XDP_DROP);
    CHECK(outcome.counted == once(ANSWER_IGNORED));
}

struct Case {
    const char *what;
    DnsMessage query;
    DnsMessage answer;
    Counted counted;
};

Case positive(const char *what, const std::string &name, DnsRecord record, unsigned kind)
{
    const DnsMessage query = query_for(name, record.type);
    return {what, query, answer_to(query, aa, {std::move(record)}),
            once(kind, asked(query.questions[0].type))};
}

Case hinfo(const char *what, const std::string &name)
{
    const DnsMessage query = query_for(name, 255);
    const DnsRecord record{.type = 13, .data = from_hex("07 52464338343832 00")};
    return {what, query, answer_to(query, aa, {record}), once(ANSWER_HINFO)};
}

// Returns NODATA (RCODE 0) or NXDOMAIN (3), for a name with `before` octets in front of the zone's
// name.
Case negative(const char *what, const std::string &name, std::uint16_t type, std::size_t before,
              std::uint16_t rcode = 0)
{
    const DnsMessage query = query_for(name, type);
    return {what, query, answer_to(query, aa | rcode, {}, {soa_record(before)}),
            once(rcode == 0 ? ANSWER_NODATA : ANSWER_NXDOMAIN, asked(type))};
}

Case refused(const char *what, const DnsMessage &query)
{
    return {what, query, answer_to(query, not_aa | 5),
            once(ANSWER_REFUSED, asked(query.questions[0].type))};
}

// Returns an answer without a question: the query's question could not be read, or was not read.
Case bare(const char *what, const DnsMessage &query, std::uint16_t flags, unsigned kind)
{
    return {what, query, {.id = query.id, .flags = flags}, once(kind)};
}

std::vector<Case> positive_cases()
{
    DnsRecord soa = soa_record(0);
    soa.ttl = 300;
    return {
        positive("A of a test name", "010-020-003-255.dns64perf.test", a_record({10, 20, 3, 255}),
                 ANSWER_A),
        positive("A of the last test name", "255-255-255-255.dns64perf.test",
                 a_record({255, 255, 255, 255}), ANSWER_A),
        positive("AAAA of a test name", "000-000-000-000.dns64perf.test",
                 aaaa_record("20010db8 00640000 00000000 00000000"), ANSWER_AAAA),
        positive("A of the server", "ns.dns64perf.test", a_record({192, 0, 2, 53}), ANSWER_A),
        positive("AAAA of the server", "ns.dns64perf.test",
                 aaaa_record("20010db8 00000000 00000000 00000053"), ANSWER_AAAA),
        positive("SOA of the apex", zone, soa, ANSWER_SOA),
        positive("NS of the apex", zone, {.type = 2, .data = with_zone_pointer("\2ns", 0)},
                 ANSWER_NS),
        hinfo("ANY of a test name", ten),
        hinfo("ANY of the apex", zone),
        hinfo("ANY of the server", "ns.dns64perf.test"),
    };
}

std::vector<Case> negative_cases()
{
    constexpr std::uint16_t nxdomain = 3;
    return {
        // 1 * 61 mod 100 is beyond the share of 60
        negative("AAAA of a test name that has none", "000-000-000-001.dns64perf.test", 28, 16),
        negative("MX of a test name", ten, 15, 16),
        negative("A of the apex", zone, 1, 0),
        negative("MX of the server", "ns.dns64perf.test", 15, 3),
        negative("an octet above 255", "256-000-000-000.dns64perf.test", 1, 16, nxdomain),
        negative("a dot for a dash", "010.000-000-000.dns64perf.test", 1, 16, nxdomain),
        negative("a label before a test name", "x." + ten, 1, 18, nxdomain),
        negative("a name two characters long", "nt.dns64perf.test", 1, 3, nxdomain),
        negative("a name below the server's", "a.ns.dns64perf.test", 1, 5, nxdomain),
    };
}

std::vector<Case> refused_cases()
{
    DnsMessage chaos = query_for(ten, 1);
    chaos.questions[0].dns_class = 3;
    return {
        refused("the root", query_for("", 2)),
        refused("another zone", query_for("010-000-000-000.dns64perf.example", 1)),
        refused("a zone whose name ends alike", query_for("xdns64perf.test", 1)),
        refused("the zone's parent", query_for("test", 1)),
        refused("the zone's name inside of a label", query_for("a.b\11dns64perf.test", 1)),
        refused("a zone transfer", query_for(zone, 252)),
        refused("an incremental zone transfer", query_for(zone, 251)),
        refused("class CHAOS", chaos),
    };
}

std::vector<Case> error_cases()
{
    constexpr std::uint16_t formerr = 1;
    constexpr std::uint16_t notimp = 4;
    DnsMessage two = query_for(ten, 1);
    two.questions.push_back(two.questions[0]);
    DnsMessage none = query_for(ten, 1);
    none.questions.clear();
    DnsMessage pointer = query_for(ten, 1);
    pointer.questions[0].name = {0xc0, 0x0c};
    DnsMessage cut = query_for(ten, 1);
    cut.questions[0].name = {63, 'x'};
    DnsMessage answered = query_for(ten, 1);
    answered.answers = {a_record({1, 2, 3, 4})};
    DnsMessage two_opts = query_for(ten, 1);
    two_opts.additionals = {dns_opt(), dns_opt()};
    DnsMessage notify = query_for(ten, 6);
    notify.flags = 0x2000;
    return {
        bare("two questions", two, not_aa | formerr, ANSWER_FORMERR),
        bare("no question", none, not_aa | formerr, ANSWER_FORMERR),
        bare("a compressed name", pointer, not_aa | formerr, ANSWER_FORMERR),
        bare("a name that is cut off", cut, not_aa | formerr, ANSWER_FORMERR),
        bare("an answer in a query", answered, not_aa | formerr, ANSWER_FORMERR),
        bare("two OPT records", two_opts, not_aa | formerr, ANSWER_FORMERR),
        bare("NOTIFY", notify, 0xa000 | notimp, ANSWER_NOTIMP),
    };
}

void check_cases(const std::vector<Case> &cases)
{
    const Path path = generate_path();
    CAPTURE(path.is_ipv6, path.has_vlan);
    for (const Case &c : cases) {
        INFO(c.what);
        check_answered(there(path, c.query), back(path, c.answer), c.counted);
    }
}

} // namespace

TEST_CASE("what the zone has is answered with authority")
{
    check_cases(positive_cases());
}

TEST_CASE("what the zone lacks is denied with its SOA")
{
    check_cases(negative_cases());
}

TEST_CASE("what is not the zone's is refused")
{
    check_cases(refused_cases());
}

TEST_CASE("what cannot be read or done is an error without a question")
{
    check_cases(error_cases());
}

TEST_CASE("EDNS is answered with an OPT record of our own")
{
    const Path path = generate_path();
    CAPTURE(path.is_ipv6, path.has_vlan);
    DnsMessage query = query_for("010-020-003-004.dns64perf.test", 1);
    DnsMessage answer = answer_to(query, aa, {a_record({10, 20, 3, 4})});
    const auto check = [&](std::uint32_t asked, const Bytes &options, const Counted &counted,
                           std::uint32_t answered) {
        query.additionals = {dns_opt(asked, options, 4096)};
        answer.additionals = {dns_opt(answered)};
        check_answered(there(path, query), back(path, answer), counted);
    };

    SECTION("plain")
    {
        check(0, {}, once(ANSWER_A, FAKEDNS_TYPE_A), 0);
    }
    SECTION("DO is echoed, other flags are not")
    {
        check(0x0000ffff, {}, once(ANSWER_A, FAKEDNS_TYPE_A), 0x00008000);
    }
    SECTION("options are left out, so that the answer may be shorter than the query")
    {
        check(0, Bytes(300, 0xee), once(ANSWER_A, FAKEDNS_TYPE_A), 0);
    }
    SECTION("another version is BADVERS")
    {
        answer.flags = not_aa;
        answer.answers.clear();
        check(0x00010000, {}, once(ANSWER_BADVERS, FAKEDNS_TYPE_A), 0x01000000);
    }
    SECTION("options longer than the message are a format error")
    {
        DnsRecord opt = dns_opt(0, {1, 2, 3});
        opt.length = 4;
        query.additionals = {opt};
        check_answered(there(path, query),
                       back(path, DnsMessage{.id = query.id, .flags = not_aa | 1}),
                       once(ANSWER_FORMERR));
    }
}

TEST_CASE("ID, RD, CD and the question's letters come back as they were sent")
{
    const auto flags = GENERATE(as<std::uint16_t>{}, 0x0000, 0x0100, 0x0010, 0x0110);
    CAPTURE(flags);
    DnsMessage query = query_for("010-020-003-004.dNs64PeRf.TesT", 1);
    query.id = 0xa55a;
    query.flags = flags;
    const auto answer_flags = static_cast<std::uint16_t>(0x8400 | flags);
    check_answered(there({}, query),
                   back({}, answer_to(query, answer_flags, {a_record({10, 20, 3, 4})})),
                   once(ANSWER_A, FAKEDNS_TYPE_A));
}

TEST_CASE("the longest name is answered within 512 octets")
{
    // 255 octets in wire form: 239 in front of the zone's 16
    std::string name;
    for (const std::size_t length : {63U, 63U, 63U, 46U})
        name += std::string(length, 'x') + ".";
    DnsMessage query = query_for(name + zone, 1);
    REQUIRE(query.questions[0].name.size() == 255);
    query.additionals = {dns_opt()};
    const DnsMessage answer = answer_to(query, aa | 3, {}, {soa_record(239)});
    REQUIRE(answer.bytes().size() <= 512);
    check_answered(there({}, query), back({}, answer), once(ANSWER_NXDOMAIN, FAKEDNS_TYPE_A));
}

TEST_CASE("padding after the datagram is no part of query or answer")
{
    const Path path = generate_path();
    const std::size_t padding = GENERATE(1U, 7U, 18U, 46U, 1000U);
    CAPTURE(path.is_ipv6, path.has_vlan, padding);
    const DnsMessage query = query_for(ten, 1);
    Bytes frame = there(path, query);
    frame.resize(frame.size() + padding, 0xee);
    check_answered(frame, back(path, answer_to(query, aa, {a_record({10, 0, 0, 0})})),
                   once(ANSWER_A, FAKEDNS_TYPE_A));
}

TEST_CASE("whatever checksum a query has, its answer has a right one")
{
    const Path path = generate_path();
    const auto checksum = GENERATE(as<std::uint16_t>{}, 0x0000, 0x1234, 0xffff);
    CAPTURE(path.is_ipv6, path.has_vlan, checksum);
    const DnsMessage query = query_for(ten, 1);
    check_answered(there(path, query, {.checksum = checksum}),
                   back(path, answer_to(query, aa, {a_record({10, 0, 0, 0})})),
                   once(ANSWER_A, FAKEDNS_TYPE_A));
}

TEST_CASE("an answer goes to the port the query came from")
{
    const auto port = GENERATE(as<std::uint16_t>{}, 1, 1024, 65535);
    const Udp udp{.source_port = port};
    const DnsMessage query = query_for(ten, 1);
    check_answered(there({}, query, udp),
                   back({}, answer_to(query, aa, {a_record({10, 0, 0, 0})}), udp),
                   once(ANSWER_A, FAKEDNS_TYPE_A));
}

TEST_CASE("exactly the share of every aligned block of 100 names owns an AAAA, always the same")
{
    const std::uint32_t first = GENERATE(0U, 100U * 12'345'678U);
    std::array<bool, 100> owns{};
    for (std::uint32_t i = 0; i < 200; i++) {
        std::array<__u8, TEST_NAME_LABEL> label{};
        test_name_write(label.data(), first + i % 100);
        const DnsMessage query =
            query_for(std::string(label.begin(), label.end()) + "." + zone, 28);
        const Counted counted = run(fakedns_program(), there({}, query)).counted;
        const bool positive = counted == once(ANSWER_AAAA, FAKEDNS_TYPE_AAAA);
        REQUIRE((positive || counted == once(ANSWER_NODATA, FAKEDNS_TYPE_AAAA)));
        if (i >= 100)
            REQUIRE(positive == owns[i % 100]);
        owns[i % 100] = positive;
    }
    CHECK(std::ranges::count(owns, true) == 60);
}

TEST_CASE("the configuration decides: port, share, prefix, TTL and the server's addresses")
{
    fakedns_config config = fakedns_test_config("t");
    config.port = 5353;
    config.zones.zone[0].aaaa_share = 100;
    config.zones.zone[0].aaaa_prefix = parse_pref64("2001:db8:122::/48");
    config.zones.zone[0].ttl = 7;
    std::ranges::fill(config.zones.zone[0].server_ipv4, __u8{0});
    std::ranges::fill(config.zones.zone[0].server_ipv6, __u8{0});
    const FakednsProgram program{config};
    const Udp udp{.target_port = 5353};

    const DnsMessage test_name = query_for("192-000-002-033.t", 28);
    DnsRecord record = aaaa_record("20010db8 0122c000 00022100 00000000"); // RFC 6052, table 1
    record.ttl = 7;
    check_answered(there({}, test_name, udp), back({}, answer_to(test_name, aa, {record}), udp),
                   once(ANSWER_AAAA, FAKEDNS_TYPE_AAAA), program);

    for (const std::uint16_t type : {std::uint16_t{1}, std::uint16_t{28}}) {
        const DnsMessage server = query_for("ns.t", type);
        check_answered(there({}, server, udp),
                       back({}, answer_to(server, aa, {}, {soa_record(3)}), udp),
                       once(ANSWER_NODATA, asked(type)), program);
    }
    CHECK(run(program, there({}, test_name)).result.action == XDP_PASS);
}

TEST_CASE("where the driver needs it an answer is redirected, and nothing else is")
{
    const FakednsProgram redirecting{fakedns_test_config(), true};
    const Bytes query = there({}, query_for("010-000-000-001.dns64perf.test", 1));
    const Outcome answered = run(redirecting, query);
    CHECK(answered.result.action == XDP_REDIRECT);
    CHECK(answered.result.bytes == run(fakedns_program(), query).result.bytes);
    CHECK(run(redirecting, there({}, {}, {.target_port = 54})).result.action == XDP_PASS);
    CHECK(run(redirecting, there({}, {})).result.action == XDP_DROP);
}

TEST_CASE("a share of zero leaves no name an AAAA")
{
    fakedns_config config = fakedns_test_config();
    config.zones.zone[0].aaaa_share = 0;
    const FakednsProgram program{config};
    const DnsMessage query = query_for("000-000-000-000.dns64perf.test", 28);
    check_answered(there({}, query), back({}, answer_to(query, aa, {}, {soa_record(16)})),
                   once(ANSWER_NODATA, FAKEDNS_TYPE_AAAA), program);
}

TEST_CASE("a response and what is too short for a header are dropped")
{
    const Path path = generate_path();
    CAPTURE(path.is_ipv6, path.has_vlan);
    DnsMessage response = query_for(ten, 1);
    response.flags = 0x8180;
    check_dropped(there(path, response));
    for (std::size_t size = 0; size < header_size; size++) {
        CAPTURE(size);
        check_dropped(there(path, Bytes(size)));
    }
}

TEST_CASE("what is not for our port passes unchanged")
{
    const Path path = generate_path();
    CAPTURE(path.is_ipv6, path.has_vlan);
    const DnsMessage query = query_for(ten, 1);
    check_passed(there(path, query, {.target_port = 54}));
    check_passed(there(path, query, {.target_port = 0x3500})); // 53 in the other byte order
    check_passed(there(path, query, {.source_port = 53, .target_port = 40000}));
    check_passed(there(path, query, {.source_port = 0}));
}

TEST_CASE("what is not UDP over plain IP passes unchanged")
{
    const Payload query{query_for(ten, 1)};
    const Layer arp = Ethernet{.type = 0x0806};

    check_passed(arp / Payload{Bytes(28)});
    check_passed(arp / Payload{});
    check_passed(Ethernet{} / Ipv4{.protocol = 6} / Udp{} / query);
    check_passed(Ethernet{} / Ipv6{.next_header = 6} / Udp{} / query);
    check_passed(Ethernet{} / Ipv6{.next_header = 0} / Udp{} / query);
    check_passed(Ethernet{} / Ipv4{.version_and_words = 0x46} / Payload{Bytes(4)} / Udp{} / query);
    check_passed(Ethernet{} / Vlan{} / Vlan{} / Ipv4{} / Udp{} / query);
    check_passed(Ethernet{.type = 0x88a8} / Vlan{} / Ipv4{} / Udp{} / query);
}

TEST_CASE("lengths that lie pass unchanged")
{
    const Payload query{query_for(ten, 1)};
    const auto size = static_cast<std::uint16_t>(query.bytes.size() + 8);
    const auto off = static_cast<std::uint16_t>(GENERATE(-1, 1));
    const auto wrong = static_cast<std::uint16_t>(size + off);
    CAPTURE(wrong);

    check_passed(Ethernet{} / Ipv4{} / Udp{.length = wrong} / query);
    check_passed(Ethernet{} / Ipv6{} / Udp{.length = wrong} / query);
    check_passed(Ethernet{} / Ipv4{.length = static_cast<std::uint16_t>(20 + wrong)} / Udp{} /
                 query);
    check_passed(Ethernet{} / Ipv6{.length = wrong} / Udp{} / query);
    check_passed(Ethernet{} / Ipv4{.length = 27} / Udp{.length = 7} / query);
    check_passed(Ethernet{} / Ipv6{.length = 7} / Udp{.length = 7} / query);
}

TEST_CASE("a frame cut anywhere passes unchanged")
{
    const Path path = generate_path();
    CAPTURE(path.is_ipv6, path.has_vlan);
    const Bytes frame = there(path, query_for(ten, 1));
    for (std::size_t size = 14; size < frame.size(); size++) {
        CAPTURE(size);
        check_passed({frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)});
    }
}

TEST_CASE("fragments pass unchanged and are counted apart")
{
    const Payload query{query_for(ten, 1)};
    const auto fragment = GENERATE(as<std::uint16_t>{}, 0x2000, 0x0001, 0x1fff, 0x6000);
    CAPTURE(fragment);
    check_passed(Ethernet{} / Ipv4{.fragment = fragment} / Udp{} / query, FAKEDNS_PASSED_FRAGMENT);
    check_passed(Ethernet{} / Vlan{} / Ipv4{.fragment = fragment} / Udp{} / query,
                 FAKEDNS_PASSED_FRAGMENT);
    check_passed(Ethernet{} / Ipv6{.next_header = 44} / Payload{Bytes(8)} / Udp{} / query,
                 FAKEDNS_PASSED_FRAGMENT);
}

TEST_CASE("\"don't fragment\" is no fragment, nor is its absence")
{
    const auto fragment = GENERATE(as<std::uint16_t>{}, 0x0000, 0x4000);
    const Bytes frame =
        Ethernet{} / Ipv4{.fragment = fragment} / Udp{} / Payload{query_for(ten, 1)};
    CHECK(run(fakedns_program(), frame).result.action == XDP_TX);
}

TEST_CASE("frames to a group of hosts pass unchanged")
{
    const MacAddress target =
        GENERATE(MacAddress{0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                 MacAddress{0x01, 0x00, 0x5e, 0, 0, 0xfb}, MacAddress{0x33, 0x33, 0, 0, 0, 0xfb});
    const Payload query{query_for(ten, 1)};
    check_passed(Ethernet{.target = target} / Ipv4{} / Udp{} / query);
    check_passed(Ethernet{.target = target} / Vlan{} / Ipv6{} / Udp{} / query);
}
