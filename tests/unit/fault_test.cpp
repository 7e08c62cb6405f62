// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Faults: which name has which, their text and prediction, and the spoilt message.
#include "dns/fault_text.h"
#include "dns/pref64_text.h"
#include "dns/zone_name.h"
#include "server/responder.h"
#include "system/setup_error.h"

#include "support/packet.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Catch::Contains;

namespace
{

fault_plan plan_of(const std::string &text)
{
    fault_plan plan{};
    parse_faults(text, plan);
    return plan;
}

const std::string every_kind = "loss=1%,delay=2.5%:500us,late=0.1%:3s,duplicate=4%,"
                               "wrong-address=5%,wrong-question=6%,wrong-id=0.7%,servfail=8%,"
                               "truncated=9%,empty=10%,garbage=11%,wrong-owner=1.2%,"
                               "extra-record=1.3%,missing-record=1.4%,trailing-octets=1.5%,"
                               "extended-rcode=1.6%,not-authoritative=1.7%";
constexpr std::array<unsigned, FAULTS> every_share{340, 10,  25,  1,  40, 50, 60, 7,  80,
                                                   90,  100, 110, 12, 13, 14, 15, 16, 17};

answer_zones test_zones()
{
    const ZoneName name = parse_zone_name("dns64perf.test");
    answer_zone zone{};
    std::ranges::copy(name.wire, zone.name);
    zone.name_length = name.length;
    zone.aaaa_share = 60;
    zone.ttl = 3600;
    zone.negative_ttl = 300;
    zone.aaaa_prefix = parse_pref64("2001:db8::/96");
    answer_zones zones{};
    zones.zone[0] = zone;
    zones.count = 1;
    return zones;
}

const std::string name = "010-000-000-009.dns64perf.test";
constexpr std::uint16_t a = 1;
constexpr std::uint16_t aaaa = 28;

DnsMessage query_for(std::uint16_t type, std::optional<std::uint16_t> edns = std::nullopt)
{
    DnsMessage query{.questions = {{.name = dns_name(name), .type = type}}};
    if (edns)
        query.additionals = {dns_opt(0, {}, *edns)};
    return query;
}

DnsMessage answer_to(DnsMessage query, std::vector<DnsRecord> answers)
{
    query.flags = 0x8500;
    query.answers = std::move(answers);
    if (!query.additionals.empty())
        query.additionals = {dns_opt()};
    return query;
}

DnsRecord a_record(std::uint8_t last = 9)
{
    return {.type = a, .data = {10, 0, 0, last}};
}

struct Spoilt {
    FaultyAnswer answer;
    std::string bytes;
};

Spoilt spoil(const fault_plan &plan, const Bytes &query)
{
    Bytes buffer(2048, 0xee);
    std::ranges::copy(query, buffer.begin());
    Spoilt result;
    result.answer = faulty_answer_message(buffer, query.size(), test_zones(), plan);
    buffer.resize(result.answer.answered.length);
    result.bytes = hexdump(buffer);
    return result;
}

void check_spoilt(const std::string &faults, unsigned kind, const DnsMessage &query,
                  const Bytes &expected)
{
    INFO(faults);
    const Spoilt got = spoil(plan_of(faults), query);
    CHECK(got.answer.fault == kind);
    CHECK(got.answer.is_answer);
    CHECK(got.bytes == hexdump(expected));
}

} // namespace

TEST_CASE("every aligned block has exactly its share of each fault")
{
    const fault_plan plan = plan_of(every_kind);
    for (const std::uint32_t block : {0U, 1000U, 167'772'000U, 4'294'966'000U}) {
        std::array<unsigned, FAULTS> names{};
        for (std::uint32_t i = 0; i < FAULT_BLOCK; i++)
            names[fault_of(block + i, &plan)]++;
        CHECK(names == every_share);
    }
}

TEST_CASE("a fault's names lie spread over their block")
{
    const fault_plan plan = plan_of("loss=10%");
    for (std::uint32_t start = 0; start < FAULT_BLOCK; start += 100) {
        unsigned lost = 0;
        for (std::uint32_t i = 0; i < 100; i++)
            lost += fault_of(start + i, &plan) == FAULT_LOSS ? 1U : 0U;
        CHECK(lost >= 8);
        CHECK(lost <= 12);
    }
}

TEST_CASE("all of the names, and none of them")
{
    const fault_plan none{};
    const fault_plan all = plan_of("garbage=100%");
    for (std::uint32_t i = 0; i < FAULT_BLOCK; i++) {
        REQUIRE(fault_of(i, &none) == FAULT_NONE);
        REQUIRE(fault_of(i, &all) == FAULT_GARBAGE);
    }
}

TEST_CASE("a prediction is what a walk counts")
{
    const fault_plan plan = plan_of(every_kind);
    for (const char *range : {"10.0.0.0/32", "10.0.0.0/23", "10.0.0.0/22", "10.2.0.0/15"}) {
        CAPTURE(range);
        const NameRange names = parse_name_range(range);
        FaultCounts walked{};
        for (std::uint64_t i = 0; i < names.count; i++) {
            const auto number = static_cast<std::uint32_t>(names.first + i);
            const fault_kind kind = fault_of(number, &plan);
            const bool in_vain =
                (kind == FAULT_EMPTY || kind == FAULT_WRONG_ADDRESS || kind > FAULT_GARBAGE) &&
                test_name_has_aaaa(number, 60) == 0;
            walked[in_vain ? FAULT_NONE : kind]++;
        }
        CHECK(predict_faults(plan, names, 60) == walked);
    }
    const FaultCounts everything = predict_faults(plan, parse_name_range("0.0.0.0/0"), 100);
    std::uint64_t sum = 0;
    for (const std::uint64_t count : everything)
        sum += count;
    CHECK(sum == std::uint64_t{1} << 32U);
}

TEST_CASE("delays take every quantile once in a row")
{
    const fault_plan plan = plan_of("loss=3%,delay=25.6%:uniform:0us:1024us,late=1%:2s");
    std::multiset<std::uint64_t> delays;
    for (std::uint32_t number = 167'772'000; delays.size() < FAULT_QUANTILES; number++) {
        const fault_kind kind = fault_of(number, &plan);
        if (kind == FAULT_DELAY)
            delays.insert(fault_delay_ns(number, kind, &plan));
        if (kind == FAULT_LATE)
            REQUIRE(fault_delay_ns(number, kind, &plan) == 2'000'000'000);
        if (kind == FAULT_LOSS)
            REQUIRE(fault_delay_ns(number, kind, &plan) == 0);
    }
    std::uint64_t expected = 500;
    for (const std::uint64_t delay : delays) {
        REQUIRE(delay == expected);
        expected += 1000;
    }
}

TEST_CASE("distributions have the quantiles of the textbook")
{
    const auto delay_at = [](const std::string &shape, unsigned at) {
        return static_cast<double>(plan_of("delay=1%:" + shape).delay_ns[0][at]);
    };
    // Medians lie between the two middle quantiles.
    const auto median = [&](const std::string &shape) {
        return (delay_at(shape, 511) + delay_at(shape, 512)) / 2;
    };
    CHECK(median("uniform:1ms:3ms") == Approx(2e6));
    CHECK(median("exponential:1ms") == Approx(1e6 * 0.693147).epsilon(1e-3));
    CHECK(median("normal:1ms:0.1ms") == Approx(1e6));
    CHECK(median("lognormal:700us:0.5") == Approx(7e5).epsilon(1e-3));
    CHECK(median("pareto:1ms:2") == Approx(1e6 * 1.414214).epsilon(1e-3));
    CHECK(delay_at("normal:1us:1ms", 0) == 0);
    CHECK(delay_at("1.5ms", 0) == 1'500'000);
    CHECK(delay_at("250ns", 1023) == 250);
}

TEST_CASE("what is no list of faults is refused in one line")
{
    const std::map<std::string, std::string> wrong{
        {"", "NAME=SHARE%"},
        {"loss", "NAME=SHARE%"},
        {"none=1%", "NAME=SHARE%"},
        {"los=1%", "NAME=SHARE%"},
        {"loss=1%,", "NAME=SHARE%"},
        {"loss=1", "no share"},
        {"loss=-1%", "no share"},
        {"loss=101%", "no share"},
        {"loss=0.05%", "multiples of 0.1%"},
        {"loss=1%,loss=1%", "twice"},
        {"loss=60%,empty=40.1%", "above 100%"},
        {"loss=1%:1ms", "takes no time"},
        {"delay=1%", "how long"},
        {"delay=1%:5", "no time"},
        {"delay=1%:5min", "no time"},
        {"delay=1%:61s", "above 60 s"},
        {"delay=1%:gauss:1ms:1ms", "neither"},
        {"delay=1%:normal:1ms", "two parameters"},
        {"delay=1%:exponential:1ms:1ms", "one parameter"},
        {"delay=1%:exponential:0ms", "above 0"},
        {"delay=1%:uniform:2ms:1ms", "above the first"},
        {"delay=1%:normal:1ms:0s", "above 0"},
        {"delay=1%:lognormal:1ms:0", "above 0"},
        {"delay=1%:pareto:1ms:1ms", "no number"},
        {"delay=1%:pareto:1s:0.1", "above 60 s"},
        {"delay=1%:1ms:2ms", "neither"},
    };
    for (const auto &[text, why] : wrong) {
        INFO(text);
        fault_plan plan{};
        CHECK_THROWS_AS(parse_faults(text, plan), SetupError);
        CHECK_THROWS_WITH(parse_faults(text, plan = {}), Contains(why) && !Contains("\n"));
    }
}

TEST_CASE("each fault has its share of every thousand connections")
{
    fault_plan answers{};
    ConnectionFaultPlan plan;
    parse_faults("loss=1%,refuse=10%,reset=0.1%:7", answers, &plan);
    parse_faults("coalesce=20%:100,split=30%", answers, &plan);
    CHECK(has_fault(answers, FAULT_LOSS));
    CHECK(plan.number[static_cast<std::size_t>(ConnectionFault::reset)] == 7);
    CHECK(plan.number[static_cast<std::size_t>(ConnectionFault::coalesce)] == 100);
    for (const std::uint64_t block : {0ULL, 5000ULL, 10'000'000'000'000ULL}) {
        OfConnectionFaults<unsigned> connections{};
        for (std::uint64_t i = 0; i < FAULT_BLOCK; i++)
            connections[static_cast<std::size_t>(plan.of(block + i))]++;
        CHECK(connections == OfConnectionFaults<unsigned>{399, 100, 1, 0, 0, 0, 200, 300});
    }
    CHECK(ConnectionFaultPlan().of(0) == ConnectionFault::none);
}

TEST_CASE("what is no fault of connections is refused in one line")
{
    const std::map<std::string, std::string> wrong{
        {"none=1%", "NAME=SHARE%"},
        {"reset=1:7", "no share"},
        {"reset=1%", "give a number"},
        {"reset=1%:", "no number from 0"},
        {"reset=1%:-1", "no number from 0"},
        {"reset=1%:1000001", "no number from 0"},
        {"coalesce=1%:1", "no number from 2"},
        {"split=1%:2", "no number"},
        {"split=1%,split=1%", "twice"},
        {"split=60%,swap=40.1%", "above 100%"},
    };
    for (const auto &[text, why] : wrong) {
        INFO(text);
        fault_plan answers{};
        ConnectionFaultPlan plan;
        CHECK_THROWS_WITH(parse_faults(text, answers, &plan), Contains(why) && !Contains("\n"));
    }
    fault_plan answers{};
    CHECK_THROWS_WITH(parse_faults("split=1%", answers), Contains("NAME=SHARE%"));
}

TEST_CASE("each fault's message")
{
    const DnsMessage query = query_for(a, 1232);
    const DnsMessage right = answer_to(query, {a_record()});
    check_spoilt("loss=0%", FAULT_NONE, query, right);
    check_spoilt("loss=100%", FAULT_LOSS, query, {});
    check_spoilt("wrong-address=100%", FAULT_WRONG_ADDRESS, query, answer_to(query, {a_record(8)}));

    DnsMessage other = right;
    other.questions[0].name = dns_name("010-000-000-008.dns64perf.test");
    check_spoilt("wrong-question=100%", FAULT_WRONG_QUESTION, query, other);
    other = right;
    other.id ^= 0x8000;
    check_spoilt("wrong-id=100%", FAULT_WRONG_ID, query, other);
    other = answer_to(query, {});
    check_spoilt("empty=100%", FAULT_EMPTY, query, other);
    other.flags = 0x8700;
    check_spoilt("truncated=100%", FAULT_TRUNCATED, query, other);
    other.flags = 0x8102;
    check_spoilt("servfail=100%", FAULT_SERVFAIL, query, other);
    Bytes garbage(40, 0xff);
    garbage[0] = 0x12;
    garbage[1] = 0x34;
    check_spoilt("garbage=100%", FAULT_GARBAGE, query, garbage);

    const Spoilt twice = spoil(plan_of("duplicate=100%"), query);
    CHECK(twice.answer.copies == 2);
    CHECK(twice.answer.delay_ns == 0);
    CHECK(twice.bytes == hexdump(right.bytes()));
    const Spoilt later = spoil(plan_of("delay=100%:1ms"), query);
    CHECK(later.answer.copies == 1);
    CHECK(later.answer.delay_ns == 1'000'000);
    CHECK(later.bytes == hexdump(right.bytes()));
}

TEST_CASE("faults around a right record, with OPT and without")
{
    const auto type = GENERATE(as<std::uint16_t>{}, a, aaaa);
    const auto edns = GENERATE(as<std::optional<std::uint16_t>>{}, std::nullopt, 1232);
    CAPTURE(type, edns.has_value());
    const DnsMessage query = query_for(type, edns);
    const auto record = [type](std::uint8_t last) {
        return type == a ? a_record(last)
                         : DnsRecord{.type = aaaa,
                                     .data = from_hex("20010db8 00000000 00000000 0a0000" +
                                                      std::string(last == 9 ? "09" : "08"))};
    };
    const DnsMessage right = answer_to(query, {record(9)});

    DnsMessage other = right;
    other.answers[0].owner = from_hex("c01c");
    check_spoilt("wrong-owner=100%", FAULT_WRONG_OWNER, query, other);
    check_spoilt("extra-record=100%", FAULT_EXTRA_RECORD, query,
                 answer_to(query, {record(8), record(9)}));
    Bytes octets = right;
    octets[7] = 2;
    check_spoilt("missing-record=100%", FAULT_MISSING_RECORD, query, octets);
    octets = right;
    octets.insert(octets.end(), 12, 0);
    check_spoilt("trailing-octets=100%", FAULT_TRAILING_OCTETS, query, octets);
    other = right;
    other.additionals = {dns_opt(0x01000000)};
    check_spoilt("extended-rcode=100%", FAULT_EXTENDED_RCODE, query, other);
    other = right;
    other.flags = 0x8100;
    check_spoilt("not-authoritative=100%", FAULT_NOT_AUTHORITATIVE, query, other);
}

TEST_CASE("a wrong address of AAAA is wrong in its last bit")
{
    const DnsMessage query = query_for(aaaa);
    Bytes data = from_hex("20010db8 00000000 00000000 0a000008");
    check_spoilt("wrong-address=100%", FAULT_WRONG_ADDRESS, query,
                 answer_to(query, {{.type = aaaa, .data = data}}));
}

TEST_CASE("where there is no address none can be wrong, nor missing")
{
    DnsMessage query = query_for(16);
    for (const char *faults : {"wrong-address=100%", "empty=100%", "wrong-owner=100%",
                               "extra-record=100%", "missing-record=100%", "trailing-octets=100%",
                               "extended-rcode=100%", "not-authoritative=100%"}) {
        const Spoilt spoilt = spoil(plan_of(faults), query);
        CHECK(spoilt.answer.fault == FAULT_NONE);
        CHECK(spoilt.bytes == spoil({}, query).bytes);
    }
}

TEST_CASE("names outside the namespace have no fault")
{
    const fault_plan plan = plan_of("loss=100%");
    for (const char *other : {"dns64perf.test", "x.dns64perf.test", "ns.dns64perf.test",
                              "010-000-000-009.example.org", "010-000-000-009.x.dns64perf.test"}) {
        CAPTURE(other);
        const DnsMessage query{.questions = {{.name = dns_name(other)}}};
        CHECK(spoil(plan, query).answer.fault == FAULT_NONE);
        CHECK(spoil(plan, query).bytes == spoil({}, query).bytes);
    }
    DnsMessage response = query_for(a);
    response.flags = 0x8100;
    CHECK_FALSE(spoil(plan, response).answer.is_answer);
}

TEST_CASE("answers are padded as RFC 7830 has it, where there is EDNS")
{
    fault_plan plan{};
    const DnsMessage query = query_for(a, 1232);
    for (const int size : {79, 100, 512, 1000, 1232}) {
        plan.pad_to = static_cast<__u16>(size);
        DnsMessage expected = answer_to(query, {a_record()});
        const std::size_t plain = expected.bytes().size();
        Bytes option(static_cast<std::size_t>(size) - plain, 0);
        option[1] = 12;
        option[2] = static_cast<std::uint8_t>((option.size() - 4) >> 8U);
        option[3] = static_cast<std::uint8_t>(option.size() - 4);
        expected.additionals = {dns_opt(0, option)};
        CAPTURE(size);
        CHECK(spoil(plan, query).bytes == hexdump(expected.bytes()));
    }
}

TEST_CASE("without EDNS a record of type NULL is the filler")
{
    fault_plan plan{};
    plan.pad_to = 300;
    const DnsMessage query = query_for(a);
    DnsMessage expected = answer_to(query, {a_record()});
    const std::size_t plain = expected.bytes().size();
    expected.additionals = {{.type = 10, .ttl = 0, .data = Bytes(300 - plain - 12)}};
    CHECK(spoil(plan, query).bytes == hexdump(expected.bytes()));
}

TEST_CASE("padding ends where the client's limit is, and where there is no room for any")
{
    fault_plan plan{};
    plan.pad_to = FAULT_PAD_MAX;
    const auto size = [&](std::optional<std::uint16_t> edns) {
        return spoil(plan, query_for(a, edns)).answer.answered.length;
    };
    CHECK(size(std::nullopt) == 512);
    CHECK(size(100) == 512);
    CHECK(size(700) == 700);
    CHECK(size(4096) == FAULT_PAD_MAX);
    const std::size_t plain = answer_to(query_for(a, 1232), {a_record()}).bytes().size();
    plan.pad_to = static_cast<__u16>(plain + 3);
    CHECK(size(1232) == plain);
    plan.pad_to = static_cast<__u16>(plain + 4);
    CHECK(size(1232) == plain + 4);
}

TEST_CASE("a wrong answer is padded, one without records is not")
{
    fault_plan plan = plan_of("wrong-id=100%");
    plan.pad_to = 400;
    CHECK(spoil(plan, query_for(a)).answer.answered.length == 400);
    for (const char *faults : {"servfail=100%", "truncated=100%", "empty=100%"}) {
        plan = plan_of(faults);
        plan.pad_to = 400;
        CAPTURE(faults);
        CHECK(spoil(plan, query_for(a)).answer.answered.length == 48);
    }
}
