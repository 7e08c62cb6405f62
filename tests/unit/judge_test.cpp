// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/exact_buffer.h"
#include "support/judgement_alone.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t address = 0x0a0000ff; // 10.0.0.255
const std::string name_text = "010-000-000-255.dns64perf.test";
const Bytes right_a = {10, 0, 0, 255};
const Bytes right_aaaa = {0x20, 0x01, 0x0d, 0xb8, 0, 0x64, 0, 0, 0, 0, 0, 0, 10, 0, 0, 255};

judge_rule rule_for(std::uint16_t type)
{
    judge_rule rule{};
    const Bytes zone = dns_name("dns64perf.test");
    std::copy(zone.begin(), zone.end(), rule.zone);
    rule.zone_length = static_cast<std::uint32_t>(zone.size());
    rule.type = type;
    std::copy_n(right_aaaa.begin(), 12, rule.prefix.bytes);
    rule.prefix.length = 96;
    rule.wants_aa = 1;
    return rule;
}

struct Verdict {
    judgement judged;
    std::uint32_t rcode;
};

Verdict judge(const Bytes &message, const judge_rule &rule)
{
    const ExactBuffer buffer(message);
    std::uint32_t rcode = 0xffff;
    const judgement judged = judge_reply(buffer.cursor(), &rule, address, &rcode);
    return {judged, rcode};
}

judgement judged(const Bytes &message, std::uint16_t type = DNS_TYPE_A)
{
    return judge(message, rule_for(type)).judged;
}

DnsMessage reply(std::vector<DnsRecord> answers, std::uint16_t type = DNS_TYPE_A)
{
    return {.flags = 0x8580,
            .questions = {{.name = dns_name(name_text), .type = type}},
            .answers = std::move(answers)};
}

const DnsRecord cname{.type = 5, .data = dns_name("b.example")};

} // namespace

TEST_CASE("the right A record is valid")
{
    CHECK(judged(reply({{.data = right_a}})) == JUDGE_VALID);
}

TEST_CASE("the right AAAA record is valid")
{
    CHECK(judged(reply({{.type = 28, .data = right_aaaa}}, 28), 28) == JUDGE_VALID);
}

TEST_CASE("a flipped bit anywhere in the data makes it wrong data")
{
    for (std::size_t bit = 0; bit < 32; bit++) {
        Bytes data = right_a;
        data[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        REQUIRE(judged(reply({{.data = data}})) == JUDGE_WRONG_DATA);
    }
    for (std::size_t bit = 0; bit < 128; bit++) {
        Bytes data = right_aaaa;
        data[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        REQUIRE(judged(reply({{.type = 28, .data = data}}, 28), 28) == JUDGE_WRONG_DATA);
    }
}

TEST_CASE("behind a DNS64 server names with AAAA records have those, the others synthesized ones")
{
    const Bytes own = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 255};
    const auto has_own = [](std::uint32_t share) {
        return test_name_has_aaaa(address, share) != 0;
    };
    for (std::uint8_t share = 0; share <= 100; share++) {
        CAPTURE(static_cast<int>(share));
        judge_rule rule = rule_for(DNS_TYPE_AAAA);
        rule.aaaa_share = share;
        std::copy_n(own.begin(), 12, rule.aaaa_prefix.bytes);
        rule.aaaa_prefix.length = 96;
        CHECK(judge(reply({{.type = 28, .data = own}}, 28), rule).judged ==
              (has_own(share) ? JUDGE_VALID : JUDGE_WRONG_DATA));
        CHECK(judge(reply({{.type = 28, .data = right_aaaa}}, 28), rule).judged ==
              (has_own(share) ? JUDGE_WRONG_DATA : JUDGE_VALID));
        rule.type = DNS_TYPE_A;
        CHECK(judge(reply({{.data = right_a}}), rule).judged == JUDGE_VALID);
    }
    CHECK(has_own(100));
}

TEST_CASE("any data is valid when the rule says so, but not none")
{
    judge_rule rule = rule_for(DNS_TYPE_A);
    rule.any_data = 1;
    CHECK(judge(reply({{.data = {1, 2, 3, 4}}}), rule).judged == JUDGE_VALID);
    CHECK(judge(reply({}), rule).judged == JUDGE_NO_ANSWER);
    CHECK(judge(reply({{.data = {1, 2, 3}}}), rule).judged == JUDGE_MALFORMED);
    CHECK(judge(reply({{.data = {1, 2, 3, 4}}, {.data = {5, 6, 7, 8}}}), rule).judged ==
          JUDGE_VALID);
}

TEST_CASE("one right record among wrong ones is not enough, wherever it is")
{
    for (std::size_t right = 0; right < 4; right++) {
        std::vector<DnsRecord> records(4, {.data = {1, 2, 3, 4}});
        records[right].data = right_a;
        REQUIRE(judged(reply(records)) == JUDGE_EXTRA_RECORDS);
        records.assign(right + 1, {.data = right_a});
        REQUIRE(judged(reply(records)) == (right == 0 ? JUDGE_VALID : JUDGE_EXTRA_RECORDS));
    }
}

TEST_CASE("a name has no CNAME, unless CNAMEs are accepted")
{
    const DnsRecord second{.owner = dns_name("b.example"), .type = 5, .data = dns_name("c.d")};
    const DnsRecord last{.owner = dns_name("c.d"), .data = right_a};
    CHECK(judged(reply({cname, second, last})) == JUDGE_WRONG_OWNER);
    CHECK(judged(reply({cname, {.data = right_a}})) == JUDGE_EXTRA_RECORDS);
    CHECK(judged(reply({cname, second})) == JUDGE_NO_ANSWER);
    judge_rule rule = rule_for(DNS_TYPE_A);
    rule.accepts = ACCEPTS_CNAMES;
    CHECK(judge(reply({cname, second, last}), rule).judged == JUDGE_VALID);
    CHECK(judge(reply({cname, second}), rule).judged == JUDGE_NO_ANSWER);
    CHECK(judge(reply({second, cname, last}), rule).judged == JUDGE_WRONG_OWNER);
}

TEST_CASE("a signature may stand beside the answer, records of other types and classes may not")
{
    const DnsRecord signature{.type = 46, .data = Bytes(90, 0xc0)};
    const DnsRecord chaos{.dns_class = 3, .data = right_a};
    const DnsRecord other_type{.type = 28, .data = right_aaaa};
    CHECK(judged(reply({signature, chaos, other_type})) == JUDGE_NO_ANSWER);
    CHECK(judged(reply({signature, {.data = right_a}, signature})) == JUDGE_VALID);
    DnsRecord others = signature;
    others.owner = dns_name("b.example");
    DnsRecord of_chaos = signature;
    of_chaos.dns_class = 3;
    for (const DnsRecord &record : {chaos, other_type, others, of_chaos}) {
        CHECK(judged(reply({record, {.data = right_a}})) == JUDGE_EXTRA_RECORDS);
        CHECK(judged(reply({{.data = right_a}, record})) == JUDGE_EXTRA_RECORDS);
    }
}

TEST_CASE("a right record outside the answer section is no answer")
{
    DnsMessage message = reply({});
    message.authorities = {{.data = right_a}};
    message.additionals = {{.data = right_a}};
    CHECK(judged(message) == JUDGE_NO_ANSWER);
}

TEST_CASE("the owner is the name asked for, in any form and any letters")
{
    Bytes part = dns_name("010-000-000-255");
    part.back() = 0xc0;
    part.push_back(12 + 16); // the zone, in the question
    for (const Bytes &owner :
         {Bytes{0xc0, 0x0c}, dns_name(name_text), dns_name("010-000-000-255.DNS64perF.TEST"), part})
        CHECK(judged(reply({{.owner = owner, .data = right_a}})) == JUDGE_VALID);
    for (const char *other :
         {"010-000-000-254.dns64perf.test", "010-000-000-255.dns64perf.tesu", "dns64perf.test", "",
          "010-000-000-255.dns64perf.test.test", "010-000-000-255.dns64perf", "b.example",
          "a.010-000-000-255.dns64perf.test", "010-000-000-25.dns64perf.test"})
        CHECK(judged(reply({{.owner = dns_name(other), .data = right_a}})) == JUDGE_WRONG_OWNER);
    // The zone, its last label, the root, and labels before the name.
    for (const Bytes &owner :
         {Bytes{0xc0, 28}, Bytes{0xc0, 38}, Bytes{0xc0, 43}, Bytes{1, 'a', 0xc0, 12}})
        CHECK(judged(reply({{.owner = owner, .data = right_a}})) == JUDGE_WRONG_OWNER);
}

TEST_CASE("a pointer points before its name, and after the header, in every section")
{
    // The first record's owner is at octet 48.
    for (const std::uint8_t target : {std::uint8_t{48}, std::uint8_t{49}, std::uint8_t{50},
                                      std::uint8_t{200}, std::uint8_t{0}, std::uint8_t{11}}) {
        CAPTURE(static_cast<int>(target));
        const DnsRecord record{.owner = {0xc0, target}, .data = right_a};
        CHECK(judged(reply({record})) == JUDGE_MALFORMED);
        DnsMessage message = reply({{.data = right_a}});
        message.authorities = {record};
        CHECK(judged(message) == (target >= 48 && target < 64 ? JUDGE_VALID : JUDGE_MALFORMED));
    }
    // A label before a pointer to that label.
    CHECK(judged(reply({{.owner = {1, 'a', 0xc0, 48}, .data = right_a}})) == JUDGE_MALFORMED);
    // Two pointers that point to each other: the second one is the name of the first record's
    // owner.
    DnsMessage message = reply({{.data = right_a}});
    message.additionals = {{.owner = {0xc0, 64}, .data = right_a}};
    CHECK(judged(message) == JUDGE_MALFORMED);
    message.additionals[0].owner = {0xc0, 63};
    CHECK(judged(message) == JUDGE_VALID);
}

TEST_CASE("label types that are neither length nor pointer are malformed")
{
    for (std::uint32_t octet = 0x40; octet < 0xc0; octet++)
        REQUIRE(judged(reply({{.owner = {static_cast<std::uint8_t>(octet), 0, 0, 0},
                               .data = right_a}})) == JUDGE_MALFORMED);
}

TEST_CASE("a record of the asked type with data of another size is malformed")
{
    for (std::size_t size = 0; size < 20; size++) {
        Bytes data(size, 10);
        REQUIRE((judged(reply({{.data = data}})) == JUDGE_MALFORMED) == (size != 4));
        REQUIRE((judged(reply({{.type = 28, .data = data}}, 28), 28) == JUDGE_MALFORMED) ==
                (size != 16));
    }
}

TEST_CASE("every RCODE but NOERROR is the server's no, and told")
{
    for (std::uint16_t rcode = 0; rcode < 16; rcode++) {
        DnsMessage message = reply({{.data = right_a}});
        message.flags = static_cast<std::uint16_t>(0x8580 | rcode);
        const Verdict verdict = judge(message, rule_for(DNS_TYPE_A));
        REQUIRE(verdict.judged == (rcode ? JUDGE_RCODE : JUDGE_VALID));
        REQUIRE(verdict.rcode == rcode);
        message.questions.clear();
        message.answers.clear();
        REQUIRE(judged(message) == (rcode ? JUDGE_RCODE : JUDGE_MALFORMED));
    }
}

TEST_CASE("a reply has QR and opcode zero; TC truncates it, AA is set and Z is clear")
{
    for (std::uint32_t flags = 0; flags < 0x10000; flags++) {
        DnsMessage message = reply({{.data = right_a}});
        message.flags = static_cast<std::uint16_t>(flags);
        const judgement expected = (flags & 0xf800) != 0x8000   ? JUDGE_MALFORMED
                                   : flags & 0x000f             ? JUDGE_RCODE
                                   : flags & 0x0200             ? JUDGE_TRUNCATED
                                   : (flags & 0x0440) != 0x0400 ? JUDGE_WRONG_FLAGS
                                                                : JUDGE_VALID;
        REQUIRE(judged(message) == expected);
    }
}

TEST_CASE("question counts other than one are malformed")
{
    for (std::uint32_t count = 0; count < 0x10000; count++) {
        DnsMessage message = reply({{.data = right_a}});
        message.question_count = static_cast<std::uint16_t>(count);
        REQUIRE(judged(message) == (count == 1 ? JUDGE_VALID : JUDGE_MALFORMED));
    }
}

TEST_CASE("another question is a wrong question, whatever the RCODE")
{
    for (const std::uint16_t rcode : {std::uint16_t{0}, std::uint16_t{3}}) {
        const auto wrong = [&](const char *name, std::uint16_t type, std::uint16_t dns_class) {
            DnsMessage message = reply({{.data = right_a}});
            message.flags |= rcode;
            message.questions = {{.name = dns_name(name), .type = type, .dns_class = dns_class}};
            return judged(message) == JUDGE_WRONG_QUESTION;
        };
        CHECK_FALSE(wrong("010-000-000-255.dns64perf.test", 1, 1));
        CHECK(wrong("010-000-000-254.dns64perf.test", 1, 1));
        CHECK(wrong("010-000-000-255.dns64perf.tesu", 1, 1));
        CHECK(wrong("010-000-000-255.dns64perf.test.test", 1, 1));
        CHECK(wrong("010-000-000-255.dns64perf", 1, 1));
        CHECK(wrong("a.010-000-000-255.dns64perf.test", 1, 1));
        CHECK(wrong("010-000-000-255", 1, 1));
        CHECK(wrong("", 1, 1));
        CHECK(wrong("010-000-000-255.dns64perf.test", 28, 1));
        CHECK(wrong("010-000-000-255.dns64perf.test", 1, 3));
    }
}

TEST_CASE("the question's letters may come back in another case, its digits and dashes may not")
{
    DnsMessage message = reply({{.data = right_a}});
    message.questions[0].name = dns_name("010-000-000-255.DNS64perF.Test");
    CHECK(judged(message) == JUDGE_VALID);
    for (std::size_t i = 1; i <= TEST_NAME_LABEL; i++) {
        message.questions[0].name = dns_name(name_text);
        message.questions[0].name[i] ^= 0x20;
        REQUIRE(judged(message) == JUDGE_WRONG_QUESTION);
    }
    Bytes octets = reply({{.data = right_a}});
    for (const std::uint8_t length : {std::uint8_t{0}, std::uint8_t{14}, std::uint8_t{16},
                                      std::uint8_t{0xc0}, std::uint8_t{15}}) {
        octets[DNS_HEADER_SIZE] = length;
        CHECK((judged(octets) == JUDGE_VALID) == (length == TEST_NAME_LABEL));
    }
}

TEST_CASE("a reply cut at any byte is never valid")
{
    const auto never_valid = [](const Bytes &whole, std::uint16_t type) {
        REQUIRE(judged(whole, type) == JUDGE_VALID);
        const std::size_t question_end = 12 + 32 + 4;
        for (std::size_t size = 0; size < whole.size(); size++) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<long>(size));
            REQUIRE(judged(cut, type) ==
                    (size >= 12 && size < question_end ? JUDGE_WRONG_QUESTION : JUDGE_MALFORMED));
        }
    };
    never_valid(reply({{.data = right_a}}), DNS_TYPE_A);
    never_valid(reply({{.type = 28, .data = right_aaaa}}, 28), DNS_TYPE_AAAA);
    never_valid(reply({{.owner = dns_name(name_text), .data = right_a}}), DNS_TYPE_A);
    DnsMessage message = reply({{.data = right_a}, {.type = 46, .data = Bytes(20)}});
    message.authorities = {{.type = 2, .data = dns_name("ns.example")}};
    message.additionals = {{.owner = dns_name("ns.example"), .data = right_a}, dns_opt()};
    never_valid(message, DNS_TYPE_A);
}

TEST_CASE("counts that promise more records than there are are malformed")
{
    DnsMessage message = reply({{.data = {1, 2, 3, 4}}});
    message.answer_count = 2;
    CHECK(judged(message) == JUDGE_MALFORMED);
    message.answer_count = 0xffff;
    CHECK(judged(message) == JUDGE_MALFORMED);
    message = reply({});
    message.answer_count = 1;
    CHECK(judged(message) == JUDGE_MALFORMED);
}

TEST_CASE("data lengths that reach beyond the message are malformed")
{
    CHECK(judged(reply({{.type = 16, .data = {1}, .length = 0xffff}, {.data = right_a}})) ==
          JUDGE_MALFORMED);
    CHECK(judged(reply({{.type = 16, .data = {1}, .length = 3000}, {.data = right_a}})) ==
          JUDGE_MALFORMED);
}

TEST_CASE("no honest message has more labels and records than are looked at")
{
    // As many records as 2,048 octets hold, and one whose name has as many labels as a name may.
    DnsMessage message = reply({{.data = right_a}});
    message.authorities.assign(160, {.type = 16, .data = {}});
    REQUIRE(message.bytes().size() < 2048);
    CHECK(judged(message) == JUDGE_VALID);
    std::string deep = "a";
    for (int i = 1; i < 127; i++)
        deep += ".a";
    message.authorities.assign(6, {.owner = dns_name(deep), .type = 16, .data = {}});
    CHECK(judged(message) == JUDGE_VALID);
    message.authorities.assign(15, {.owner = dns_name(deep), .type = 16, .data = {}});
    CHECK(judged(message) == JUDGE_MALFORMED);
    // No record begins after so many octets.
    message.authorities = {{.type = 16, .data = Bytes(RECORDS_MESSAGE_MAX - 100)},
                           {.type = 16, .data = {}}};
    CHECK(judged(message) == JUDGE_VALID);
    message.authorities[0].data.resize(RECORDS_MESSAGE_MAX);
    CHECK(judged(message) == JUDGE_MALFORMED);
}

TEST_CASE("random changes and garbage are judged without a read beyond the message")
{
    std::mt19937 random(9);
    const Bytes whole = reply({{.data = right_a}, {.type = 46, .data = Bytes(4)}});
    int seen[JUDGEMENTS] = {};
    for (int i = 0; i < 200'000; i++) {
        Bytes message = whole;
        for (std::uint32_t n = random() % 4; n; n--)
            message[random() % message.size()] = static_cast<std::uint8_t>(random());
        if (random() % 4 == 0)
            message.resize(random() % (message.size() + 4));
        seen[judged(message)]++;
    }
    CHECK(std::all_of(std::begin(seen), std::end(seen), [](int count) { return count > 0; }));
}

TEST_CASE("what answers the question, however badly, is told from what does not")
{
    for (const judgement judgement :
         {JUDGE_VALID, JUDGE_RCODE, JUDGE_TRUNCATED, JUDGE_NO_ANSWER, JUDGE_WRONG_DATA,
          JUDGE_WRONG_OWNER, JUDGE_EXTRA_RECORDS, JUDGE_TRAILING_OCTETS, JUDGE_WRONG_FLAGS})
        CHECK(judge_answers_question(judgement));
    CHECK_FALSE(judge_answers_question(JUDGE_WRONG_QUESTION));
    CHECK_FALSE(judge_answers_question(JUDGE_MALFORMED));
}

namespace
{

const Bytes asked_name = dns_name("www.Example.org");
constexpr std::uint16_t asked_type = 15;

question_key random_key()
{
    question_key key{};
    std::mt19937_64 random(7);
    for (auto &word : key.name)
        word = random();
    key.tail = random();
    return key;
}

DnsMessage listed_reply(std::uint16_t flags = 0x8180)
{
    return {.flags = flags, .questions = {{.name = asked_name, .type = asked_type}}};
}

Verdict judge_listed(const Bytes &message, std::uint32_t wants = WANTS_USEFUL)
{
    const question_key key = random_key();
    const Bytes query = listed_reply(0x0100);
    __u64 expectation = 0;
    REQUIRE(question_hash(ExactBuffer(query).cursor(), &key, &expectation));
    const ExactBuffer buffer(message);
    std::uint32_t rcode = 0xffff;
    judge_rule rule{};
    rule.accepts = ACCEPTS_CNAMES;
    const judgement judged =
        judge_question_reply(buffer.cursor(), &key, &rule, expectation, wants, &rcode);
    return {judged, rcode};
}

} // namespace

TEST_CASE("list: a reply to the whole question is valid if its RCODE is useful")
{
    for (unsigned rcode = 0; rcode < DNS_RCODES; rcode++) {
        const auto flags = static_cast<std::uint16_t>(0x8180 | rcode);
        const Verdict verdict = judge_listed(listed_reply(flags));
        CAPTURE(rcode);
        CHECK(verdict.judged == (rcode == 0 || rcode == 3 ? JUDGE_VALID : JUDGE_RCODE));
        CHECK(verdict.rcode == rcode);
        CHECK(judge_listed(listed_reply(flags), WANTS_ANY_RCODE).judged == JUDGE_VALID);
    }
}

TEST_CASE("list: a truncated reply is truncated, unless its RCODE says no")
{
    CHECK(judge_listed(listed_reply(0x8380)).judged == JUDGE_TRUNCATED);
    CHECK(judge_listed(listed_reply(0x8382)).judged == JUDGE_RCODE);
    CHECK(judge_listed(listed_reply(0x8382), WANTS_ANY_RCODE).judged == JUDGE_TRUNCATED);
}

TEST_CASE("list: a line's own RCODE is right, and no other")
{
    for (unsigned wanted = 0; wanted < DNS_RCODES; wanted++)
        for (unsigned rcode = 0; rcode < DNS_RCODES; rcode++) {
            CAPTURE(wanted, rcode);
            const auto flags = static_cast<std::uint16_t>(0x8180 | rcode);
            CHECK(judge_listed(listed_reply(flags), 1U << wanted).judged ==
                  (rcode == wanted ? JUDGE_VALID : JUDGE_RCODE));
        }
}

TEST_CASE("list: a reply without a question answers by an RCODE that is wanted, unless that "
          "says something of the name")
{
    const std::uint32_t refused = 1U << DNS_RCODE_REFUSED;
    for (std::uint16_t rcode = 0; rcode < DNS_RCODES; rcode++) {
        const DnsMessage bare{.flags = static_cast<std::uint16_t>(0x8180 | rcode)};
        const bool is_of_name = rcode == DNS_RCODE_NOERROR || rcode == DNS_RCODE_NXDOMAIN;
        CAPTURE(rcode);
        const Verdict any = judge_listed(bare, WANTS_ANY_RCODE);
        CHECK(any.judged == (is_of_name ? JUDGE_MALFORMED : JUDGE_VALID));
        CHECK(any.rcode == rcode);
        CHECK(judge_listed(bare, WANTS_USEFUL).judged ==
              (is_of_name ? JUDGE_MALFORMED : JUDGE_RCODE));
        CHECK(judge_listed(bare, refused).judged == (rcode == DNS_RCODE_NOERROR   ? JUDGE_MALFORMED
                                                     : rcode == DNS_RCODE_REFUSED ? JUDGE_VALID
                                                                                  : JUDGE_RCODE));
        CHECK(judge_listed(bare, refused | WANTS_COUNT).judged ==
              judge_listed(bare, refused).judged);
    }
    const DnsMessage bare{.flags = 0x8185};
    CHECK(judge_listed(bare, wants_data(0)).judged == JUDGE_RCODE);
    CHECK(judge_listed(bare, refused | WANTS_COUNT | 1U << WANTS_COUNT_SHIFT).judged ==
          JUDGE_NO_ANSWER);
    CHECK(judge_listed(DnsMessage{.flags = 0x8385}, WANTS_ANY_RCODE).judged == JUDGE_TRUNCATED);
    CHECK(judge_listed(DnsMessage{.flags = 0x81c5}, WANTS_ANY_RCODE).judged == JUDGE_WRONG_FLAGS);
}

TEST_CASE("list: a reply without a question may have an OPT record, and nothing else")
{
    const auto judged = [](const DnsMessage &message, std::size_t cut = 0, std::size_t more = 0) {
        Bytes octets = message;
        octets.resize(octets.size() - cut + more);
        const Verdict verdict = judge_listed(octets, WANTS_ANY_RCODE);
        return std::pair{verdict.judged, verdict.rcode};
    };
    const DnsRecord badvers = dns_opt(1U << 24U);
    const DnsRecord with_cookie = dns_opt(1U << 24U, from_hex("000a0008 0123456789abcdef"));
    const DnsRecord text{.owner = {0}, .type = 16, .data = {0}};
    CHECK(judged({.flags = 0x8180, .additionals = {badvers}}) ==
          std::pair{JUDGE_VALID, std::uint32_t{DNS_RCODE_BADVERS}});
    CHECK(judged({.flags = 0x8187, .additionals = {with_cookie}}) ==
          std::pair{JUDGE_VALID, std::uint32_t{DNS_RCODE_BADCOOKIE}});
    CHECK(judge_listed(DnsMessage{.flags = 0x8180, .additionals = {badvers}}).judged ==
          JUDGE_RCODE);
    CHECK(judged({.flags = 0x8187, .additionals = {with_cookie}}, 1).first == JUDGE_MALFORMED);
    CHECK(judged({.flags = 0x8185, .additionals = {badvers}}, 1).first == JUDGE_MALFORMED);
    CHECK(judged({.flags = 0x8185}, 0, 1).first == JUDGE_TRAILING_OCTETS);
    CHECK(judged({.flags = 0x8185, .additionals = {badvers}}, 0, 1).first == JUDGE_TRAILING_OCTETS);
    CHECK(judged({.flags = 0x8185, .additionals = {badvers, badvers}}).first == JUDGE_MALFORMED);
    CHECK(judged({.flags = 0x8185, .additionals = {text}}).first == JUDGE_MALFORMED);
    CHECK(judged({.flags = 0x8185, .authorities = {text}}).first == JUDGE_MALFORMED);
    CHECK(judged({.flags = 0x8185, .answers = {text}}).first == JUDGE_MALFORMED);
}

TEST_CASE("list: an extended RCODE is told, and valid where any RCODE is")
{
    for (const std::uint32_t rcode : {16U, 19U, 23U, 24U, 3841U, 4095U}) {
        DnsMessage reply = listed_reply(static_cast<std::uint16_t>(0x8180 | (rcode & DNS_RCODE)));
        reply.additionals = {dns_opt(rcode >> 4U << 24U)};
        CAPTURE(rcode);
        for (const std::uint32_t wants :
             {WANTS_USEFUL, 1U << (rcode & DNS_RCODE), WANTS_ANY_RCODE}) {
            const Verdict verdict = judge_listed(reply, wants);
            CHECK(verdict.judged == (wants == WANTS_ANY_RCODE ? JUDGE_VALID : JUDGE_RCODE));
            CHECK(verdict.rcode == rcode);
        }
    }
}

TEST_CASE("list: a flag that is wanted must be set")
{
    const std::uint32_t aa = WANTS_USEFUL | WANTS_AA;
    const std::uint32_t ad = WANTS_USEFUL | WANTS_AD;
    CHECK(judge_listed(listed_reply(0x8580), aa).judged == JUDGE_VALID);
    CHECK(judge_listed(listed_reply(0x8180), aa).judged == JUDGE_WRONG_FLAGS);
    CHECK(judge_listed(listed_reply(0x81a0), ad).judged == JUDGE_VALID);
    CHECK(judge_listed(listed_reply(0x8180), ad).judged == JUDGE_WRONG_FLAGS);
    CHECK(judge_listed(listed_reply(0x85a0), aa | ad).judged == JUDGE_VALID);
    CHECK(judge_listed(listed_reply(0x81a0), aa | ad).judged == JUDGE_WRONG_FLAGS);
    CHECK(judge_listed(listed_reply(0x85a2), aa | ad).judged == JUDGE_RCODE);
    CHECK(judge_listed(listed_reply(0x8380), aa | ad).judged == JUDGE_TRUNCATED);
}

TEST_CASE("list: as many answers as are wanted must be there")
{
    for (std::uint32_t wanted = 0; wanted < 4; wanted++)
        for (std::uint32_t answers = 0; answers < 4; answers++) {
            DnsMessage reply = listed_reply();
            for (std::uint8_t i = 0; i < answers; i++)
                reply.answers.push_back({.type = asked_type, .data = {0, i, 0}});
            CAPTURE(wanted, answers);
            const judgement expected = answers < wanted   ? JUDGE_NO_ANSWER
                                       : answers > wanted ? JUDGE_WRONG_DATA
                                                          : JUDGE_VALID;
            CHECK(judge_listed(reply, WANTS_USEFUL | WANTS_COUNT | wanted << WANTS_COUNT_SHIFT)
                      .judged == expected);
            CHECK(judge_listed(reply).judged == JUDGE_VALID);
        }
}

TEST_CASE("list: another name, type or class is another question")
{
    DnsMessage other_name = listed_reply();
    other_name.questions[0].name = dns_name("www.example.com");
    CHECK(judge_listed(other_name).judged == JUDGE_WRONG_QUESTION);
    DnsMessage other_type = listed_reply();
    other_type.questions[0].type = 16;
    CHECK(judge_listed(other_type).judged == JUDGE_WRONG_QUESTION);
    DnsMessage other_class = listed_reply();
    other_class.questions[0].dns_class = 3;
    CHECK(judge_listed(other_class).judged == JUDGE_WRONG_QUESTION);
    DnsMessage other_case = listed_reply();
    other_case.questions[0].name = dns_name("WWW.eXAMPLE.ORG");
    CHECK(judge_listed(other_case).judged == JUDGE_VALID);
}

TEST_CASE("list: what is no reply or has not one question is malformed")
{
    CHECK(judge_listed(listed_reply(0x0100)).judged == JUDGE_MALFORMED);
    CHECK(judge_listed(listed_reply(0xa180)).judged == JUDGE_MALFORMED);
    DnsMessage none = listed_reply();
    none.questions.clear();
    CHECK(judge_listed(none).judged == JUDGE_MALFORMED);
    DnsMessage two = listed_reply();
    two.questions.push_back(two.questions[0]);
    CHECK(judge_listed(two).judged == JUDGE_MALFORMED);
    const Bytes whole = listed_reply();
    for (std::size_t size = 0; size < whole.size(); size++) {
        const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(judge_listed(part).judged ==
              (size < DNS_HEADER_SIZE ? JUDGE_MALFORMED : JUDGE_WRONG_QUESTION));
    }
}

namespace
{

// The sources of queries.
enum Source { names, mix, useful, with_data, captured };

judgement judged_of(Source source, const Bytes &message, std::uint32_t accepts = 0)
{
    const ExactBuffer buffer(message);
    std::uint32_t rcode = 0;
    judge_rule rule = rule_for(DNS_TYPE_AAAA);
    rule.accepts = accepts;
    if (source == names)
        return judge_reply(buffer.cursor(), &rule, address, &rcode);
    if (source != mix)
        rule.accepts |= ACCEPTS_CNAMES;
    rule.counts_answers = source == captured ? 1 : 0;
    const question_key key = random_key();
    const Bytes query =
        DnsMessage{.questions = {{.name = dns_name(name_text), .type = DNS_TYPE_AAAA}}};
    __u64 expectation = 0;
    REQUIRE(question_hash(ExactBuffer(query).cursor(), &key, &expectation));
    Bytes data(8);
    data.insert(data.end(), right_aaaa.begin(), right_aaaa.end());
    const std::uint64_t sum = question_data(data.data() + 8, 16, data.data() + data.size(), &key);
    const std::uint32_t wants = source == useful     ? WANTS_USEFUL
                                : source == mix      ? WANTS_NAME | 1U << WANTS_COUNT_SHIFT
                                : source == captured ? wants_data(sum + 1)
                                                     : wants_data(sum);
    return judge_question_reply(buffer.cursor(), &key, &rule, expectation, wants | WANTS_AA,
                                &rcode);
}

struct Behaviour {
    const char *what;
    Bytes message;
    judgement expected;    // of every source but where `useful` is another
    judgement useful;      // where the right data are unknown
    std::uint32_t accepts; // the rule that makes it valid; 0: none does
};

std::vector<Behaviour> behaviours()
{
    const DnsRecord right{.type = 28, .data = right_aaaa};
    const DnsRecord wrong{.type = 28, .data = Bytes(16, 1)};
    DnsRecord others = right;
    others.owner = dns_name("010-000-000-254.dns64perf.test");
    const auto of = [](std::vector<DnsRecord> answers) { return reply(std::move(answers), 28); };
    const DnsMessage plain = of({right});
    DnsMessage two_opts = plain;
    two_opts.additionals = {dns_opt(), dns_opt()};
    DnsMessage owned_opt = plain;
    owned_opt.additionals = {dns_opt()};
    owned_opt.additionals[0].owner = {0xc0, 0x0c};
    DnsMessage early_opt = plain;
    early_opt.authorities = {dns_opt()};
    DnsMessage one_opt = plain;
    one_opt.authorities = {{.type = 2, .data = dns_name("ns.example")}};
    one_opt.additionals = {{.owner = dns_name("ns.example"), .data = right_a}, dns_opt()};
    DnsMessage extended = plain;
    extended.additionals = {dns_opt(1U << 24U)};
    DnsMessage counted = plain;
    counted.answer_count = 2;
    DnsMessage no_aa = plain;
    no_aa.flags = 0x8180;
    DnsMessage z = plain;
    z.flags = 0x85c0;
    DnsMessage harmless = plain;
    harmless.flags = 0x85b0;
    Bytes trailing = plain.bytes();
    trailing.resize(trailing.size() + 12);
    const DnsRecord self{.type = 5, .data = dns_name(name_text)};
    return {
        {"right", plain, JUDGE_VALID, JUDGE_VALID, 0},
        {"RA, CD and AD", harmless, JUDGE_VALID, JUDGE_VALID, 0},
        {"records and an OPT after the answer", one_opt, JUDGE_VALID, JUDGE_VALID, 0},
        {"another owner", of({others}), JUDGE_WRONG_OWNER, JUDGE_WRONG_OWNER, ACCEPTS_OWNER},
        {"another owner beside the answer", of({right, others}), JUDGE_WRONG_OWNER,
         JUDGE_WRONG_OWNER, ACCEPTS_OWNER | ACCEPTS_EXTRA},
        {"a wrong one beside", of({right, wrong}), JUDGE_EXTRA_RECORDS, JUDGE_VALID, ACCEPTS_EXTRA},
        {"the same twice", of({right, right}), JUDGE_EXTRA_RECORDS, JUDGE_EXTRA_RECORDS,
         ACCEPTS_EXTRA},
        {"a wrong one", of({wrong}), JUDGE_WRONG_DATA, JUDGE_VALID, 0},
        {"another type beside", of({right, {.type = 16, .data = {0}}}), JUDGE_EXTRA_RECORDS,
         JUDGE_EXTRA_RECORDS, ACCEPTS_EXTRA},
        {"one too few", counted, JUDGE_MALFORMED, JUDGE_MALFORMED, 0},
        {"a CNAME to itself", of({self, right}), JUDGE_EXTRA_RECORDS, JUDGE_EXTRA_RECORDS,
         ACCEPTS_EXTRA},
        {"extended RCODE", extended, JUDGE_RCODE, JUDGE_RCODE, 0},
        {"no AA", no_aa, JUDGE_WRONG_FLAGS, JUDGE_WRONG_FLAGS, ACCEPTS_AA},
        {"Z", z, JUDGE_WRONG_FLAGS, JUDGE_WRONG_FLAGS, ACCEPTS_Z},
        {"two OPTs", two_opts, JUDGE_MALFORMED, JUDGE_MALFORMED, ACCEPTS_OPT},
        {"an OPT that a name owns", owned_opt, JUDGE_MALFORMED, JUDGE_MALFORMED, ACCEPTS_OPT},
        {"an OPT among the authorities", early_opt, JUDGE_MALFORMED, JUDGE_MALFORMED, ACCEPTS_OPT},
        // The number of a mix's answers counts, too.
        {"an OPT among the answers", of({right, dns_opt()}), JUDGE_MALFORMED, JUDGE_MALFORMED,
         ACCEPTS_OPT | ACCEPTS_EXTRA},
        {"octets after the message", trailing, JUDGE_TRAILING_OCTETS, JUDGE_TRAILING_OCTETS,
         ACCEPTS_TRAILING},
    };
}

} // namespace

TEST_CASE("every source judges each behaviour alike, and one rule loosened makes it valid")
{
    for (const Behaviour &each : behaviours())
        for (const Source source : {names, mix, useful, with_data}) {
            CAPTURE(each.what, static_cast<int>(source));
            const judgement expected = source == useful ? each.useful : each.expected;
            CHECK(judged_of(source, each.message) == expected);
            if (each.accepts != 0)
                CHECK(judged_of(source, each.message, each.accepts) == JUDGE_VALID);
            for (unsigned bit = 0; bit < JUDGE_RULE_COUNT; bit++)
                if ((each.accepts >> bit & 1) == 0 && 1U << bit != ACCEPTS_CNAMES)
                    CHECK(judged_of(source, each.message, 1U << bit) == expected);
        }
}

TEST_CASE("list: the answer stands at the end of the CNAMEs")
{
    const auto at = [](const char *owner, DnsRecord record) {
        record.owner = dns_name(owner);
        return record;
    };
    const DnsRecord right{.type = 28, .data = right_aaaa};
    const DnsRecord first{.type = 5, .data = dns_name("b.Example")};
    const DnsRecord second{.type = 5, .data = {1, 'c', 0xc0, 0x3e}};
    const DnsRecord back{.type = 5, .data = dns_name("010-000-000-255.DNS64perf.test")};
    const auto check = [](std::vector<DnsRecord> answers, judgement expected) {
        for (const Source source : {useful, with_data})
            CHECK(judged_of(source, reply(answers, 28)) == expected);
    };
    check({first, at("B.example", right)}, JUDGE_VALID);
    // "c.Example", whose end is in the first CNAME's data.
    check({first, at("b.example", second), at("c.example", right)}, JUDGE_VALID);
    check({first, right}, JUDGE_WRONG_OWNER);
    check({first, at("c.example", right)}, JUDGE_WRONG_OWNER);
    check({at("b.example", second), first, at("c.example", right)}, JUDGE_WRONG_OWNER);
    check({first, at("b.example", back), right}, JUDGE_EXTRA_RECORDS);
    check({first, at("c.example", first), at("b.example", right)}, JUDGE_EXTRA_RECORDS);
    const DnsRecord signature{.type = 46, .data = Bytes(20)};
    check({first, signature, at("b.example", right), at("b.example", signature)}, JUDGE_VALID);
    const DnsRecord dname{.type = 39, .data = dns_name("example")};
    check({at("dns64perf.test", dname), first, at("b.example", right)}, JUDGE_VALID);
    CHECK(judged_of(names, reply({at("dns64perf.test", dname), right}, 28)) == JUDGE_EXTRA_RECORDS);
    check({at("c.example", {.type = 5, .data = dns_name("d")}), at("d", right)}, JUDGE_WRONG_OWNER);
    // A chain whose end has no data.
    CHECK(judged_of(useful, reply({first}, 28)) == JUDGE_VALID);
    CHECK(judged_of(with_data, reply({first}, 28)) == JUDGE_NO_ANSWER);
    // An alias stands before the data, and names whose owner is accepted have no order.
    check({right, first}, JUDGE_EXTRA_RECORDS);
    CHECK(judged_of(with_data, reply({at("b.example", right), first}, 28), ACCEPTS_OWNER) ==
          JUDGE_VALID);
}

TEST_CASE("list: no CNAME leads back to a name of its chain")
{
    const auto alias = [](const std::string &owner, Bytes target) {
        return DnsRecord{.owner = dns_name(owner), .type = 5, .data = std::move(target)};
    };
    const auto is_loop = [](const std::vector<DnsRecord> &answers, bool has_opt = false) {
        DnsMessage message = reply(answers, 28);
        if (has_opt)
            message.additionals = {dns_opt()};
        const judgement judged = judged_of(useful, message);
        CHECK((judged == JUDGE_VALID || judged == JUDGE_EXTRA_RECORDS));
        return judged == JUDGE_EXTRA_RECORDS;
    };
    const std::string far = "b.a-label-of-more-than-eight-octets.another-one-of-them.example";
    for (const bool has_opt : {false, true}) {
        // The message ends with the name, in each of its forms.
        for (const Bytes &self : {dns_name(name_text), Bytes{0xc0, 12},
                                  dns_name("010-000-000-255."
                                           "DNS64perf.test")})
            CHECK(is_loop({alias(name_text, self)}, has_opt));
        for (const char *other :
             {"b", "", "255", "010-000-000-255", "010-000-000-255.dns64perf",
              "010-000-000-255.dns64perf.tesu", "010-000-000-254.dns64perf.test", "dns64perf.test",
              "a.010-000-000-255.dns64perf.test"})
            CHECK_FALSE(is_loop({alias(name_text, dns_name(other))}, has_opt));
        CHECK_FALSE(is_loop({alias(name_text, {0xc0, 28})}, has_opt)); // the zone
        CHECK_FALSE(is_loop({alias(name_text, dns_name(far)), alias(far, dns_name("c"))}, has_opt));
        for (const char *back : {name_text.c_str(), far.c_str(), "c"})
            CHECK(is_loop({alias(name_text, dns_name(far)), alias(far, dns_name("c")),
                           alias("c", dns_name(back))},
                          has_opt));
    }
    // Nothing else is a name of the chain: not the header, which has the root's octet here.
    DnsMessage to_root = reply({alias(name_text, {0})}, 28);
    to_root.id = 0;
    CHECK(judged_of(useful, to_root) == JUDGE_VALID);
    // The names that are known are the last sixteen.
    for (unsigned names = 1; names < 24; names++)
        for (unsigned back = 0; back < names; back++) {
            std::vector<DnsRecord> chain;
            const auto name = [](unsigned number) { return "n" + std::to_string(number); };
            for (unsigned i = 0; i < names; i++)
                chain.push_back(alias(i == 0 ? name_text : name(i), dns_name(name(i + 1))));
            CHECK_FALSE(is_loop(chain));
            chain.back().data = dns_name(back == 0 ? name_text : name(back));
            CAPTURE(names, back);
            CHECK(is_loop(chain) == (names - back <= RECORDS_CHAIN));
        }
    // Both names of a DNAME's owner and of its CNAME's target may be the same.
    CHECK_FALSE(is_loop({{.owner = dns_name("test"), .type = 39, .data = dns_name("example")},
                         alias(name_text, dns_name("test"))}));
}

TEST_CASE("list: the data of a CNAME are a name and nothing else")
{
    for (const Bytes &data :
         {Bytes{}, Bytes{1}, Bytes{1, 'b'}, Bytes{1, 'b', 0, 0}, Bytes{1, 'b', 0xc0},
          Bytes{0xc0, 12, 0}, Bytes{1, 'b', 0xc0, 28, 0}}) {
        CHECK(judged_of(useful, reply({{.type = 5, .data = data}}, 28)) == JUDGE_MALFORMED);
        CHECK(judged_of(useful, reply({{.type = 5, .data = data}, {.type = 16, .data = {0}}},
                                      28)) == JUDGE_MALFORMED);
    }
    CHECK(judged_of(useful, reply({{.type = 5, .data = {1, 'b', 0xc0, 28}}}, 28)) == JUDGE_VALID);
}

TEST_CASE("list: a DNAME stands above the name, and before its CNAME")
{
    const auto at = [](const std::string &owner, DnsRecord record) {
        record.owner = dns_name(owner);
        return record;
    };
    const DnsRecord right{.type = 28, .data = right_aaaa};
    const DnsRecord first{.type = 5, .data = dns_name("b.example")};
    const DnsRecord dname{.type = 39, .data = dns_name("example")};
    const DnsRecord signature{.type = 46, .data = Bytes(20)};
    const DnsRecord end = at("b.example", right);
    const auto check = [](const std::vector<DnsRecord> &answers, judgement expected) {
        for (const Source source : {useful, with_data}) {
            CHECK(judged_of(source, reply(answers, 28)) == expected);
            if (expected == JUDGE_EXTRA_RECORDS)
                CHECK(judged_of(source, reply(answers, 28), ACCEPTS_EXTRA) == JUDGE_VALID);
        }
    };
    for (const char *above : {"dns64perf.test", "DNS64perf.Test", "test", ""})
        check({at(above, dname), first, end}, JUDGE_VALID);
    for (const char *other :
         {"dns64perf.tesu", "b.example", "4perf.test", "dns64perf", "a.test", "est",
          "255.dns64perf.test", "a.dns64perf.test", "a.010-000-000-255.dns64perf.test"})
        check({at(other, dname), first, end}, JUDGE_EXTRA_RECORDS);
    check({at(name_text, dname), first, end}, JUDGE_EXTRA_RECORDS);
    // Compressed: the zone, its last label, and the root.
    for (const std::uint8_t above : {std::uint8_t{28}, std::uint8_t{38}, std::uint8_t{43}}) {
        DnsRecord pointed = dname;
        pointed.owner = {0xc0, above};
        check({pointed, first, end}, JUDGE_VALID);
    }
    // The expected owner has a pointer itself: "b" and the DNAME's owner.
    check({first, at("example", {.type = 39, .data = dns_name("test")}),
           at("b.example", {.type = 5, .data = {1, 'b', 0xc0, 38}}), at("b.test", right)},
          JUDGE_VALID);
    check({{.type = 5, .data = {1, 'b', 0xc0, 28}},
           at("test", {.type = 39, .data = dns_name("example")}),
           at("b.dns64perf.test", {.type = 5, .data = dns_name("b.example")}),
           end},
          JUDGE_VALID);
    check({{.type = 5, .data = {1, 'b', 0xc0, 28}},
           at("tesu", {.type = 39, .data = dns_name("example")}),
           at("b.dns64perf.test", {.type = 5, .data = dns_name("b.example")}),
           end},
          JUDGE_EXTRA_RECORDS);
    // Without a CNAME, or after it.
    check({at("test", dname), right}, JUDGE_EXTRA_RECORDS);
    check({right, at("test", dname)}, JUDGE_EXTRA_RECORDS);
    CHECK(judged_of(useful, reply({at("test", dname)}, 28)) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_of(useful, reply({at("test", dname), first}, 28)) == JUDGE_VALID);
    CHECK(judged_of(useful, reply({first, at("test", dname)}, 28)) == JUDGE_EXTRA_RECORDS);
    // Its signature.
    check({at("test", dname), at("test", signature), first, end, at("b.example", signature)},
          JUDGE_VALID);
    check({at("test", dname), first, end, at("test", signature)}, JUDGE_VALID);
    check({first, end, at("test", signature)}, JUDGE_EXTRA_RECORDS);
    DnsRecord chaos = at("test", dname);
    chaos.dns_class = 3;
    check({chaos, first, end}, JUDGE_EXTRA_RECORDS);
}

TEST_CASE("list: a signature belongs to a name of the chain")
{
    const auto at = [](const char *owner, DnsRecord record) {
        record.owner = dns_name(owner);
        return record;
    };
    const DnsRecord end = at("c", {.type = 28, .data = right_aaaa});
    const DnsRecord first{.type = 5, .data = dns_name("b.example")};
    const DnsRecord second = at("b.example", {.type = 5, .data = dns_name("c")});
    const DnsRecord signature{.type = 46, .data = Bytes(20)};
    const auto judged_with = [&](const char *owner, bool is_last) {
        std::vector<DnsRecord> answers{first, second, end};
        answers.insert(is_last ? answers.end() : answers.end() - 1, at(owner, signature));
        CHECK(judged_of(with_data, reply(answers, 28)) == judged_of(useful, reply(answers, 28)));
        return judged_of(useful, reply(answers, 28));
    };
    for (const bool is_last : {false, true}) {
        for (const char *owner : {name_text.c_str(), "B.example", "c"})
            CHECK(judged_with(owner, is_last) == JUDGE_VALID);
        for (const char *owner : {"dns64perf.test", "d", "example", "", "c.c", "b.exampl"})
            CHECK(judged_with(owner, is_last) == JUDGE_EXTRA_RECORDS);
    }
    DnsRecord chaos = at("b.example", signature);
    chaos.dns_class = 3;
    CHECK(judged_of(useful, reply({first, second, end, chaos}, 28)) == JUDGE_EXTRA_RECORDS);
    // The names are unknown if owners are accepted.
    CHECK(judged_of(useful, reply({first, second, end, at("d", signature)}, 28), ACCEPTS_OWNER) ==
          JUDGE_VALID);
}

TEST_CASE("list: an error has no record of the type asked for, but may have a chain")
{
    const DnsRecord first{.type = 5, .data = dns_name("b.example")};
    const DnsRecord right{.type = 28, .data = right_aaaa};
    DnsRecord end = right;
    end.owner = dns_name("b.example");
    const auto judged_with = [](std::uint16_t flags, std::vector<DnsRecord> answers,
                                std::uint32_t accepts = 0) {
        DnsMessage message = reply(std::move(answers), 28);
        message.flags = flags;
        return judged_of(useful, message, accepts);
    };
    CHECK(judged_with(0x8583, {}) == JUDGE_VALID);
    CHECK(judged_with(0x8583, {first}) == JUDGE_VALID);
    CHECK(judged_with(0x8583, {first, end}) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_with(0x8583, {right}) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_with(0x8583, {right}, ACCEPTS_EXTRA) == JUDGE_VALID);
    CHECK(judged_with(0x8580, {right}) == JUDGE_VALID);
}

TEST_CASE("list: a record that repeats one of the last sixteen is an extra one")
{
    const auto record = [](std::size_t number) {
        return DnsRecord{.type = 28, .data = Bytes(16, static_cast<std::uint8_t>(number))};
    };
    for (std::size_t between = 0; between < 20; between++) {
        std::vector<DnsRecord> answers;
        for (std::size_t i = 0; i <= between; i++)
            answers.push_back(record(i));
        CHECK(judged_of(useful, reply(answers, 28)) == JUDGE_VALID);
        answers.push_back(record(0));
        CHECK((judged_of(useful, reply(answers, 28)) == JUDGE_EXTRA_RECORDS) ==
              (between < RECORDS_HASHES));
    }
}

TEST_CASE("list: a question for any type takes every type of its name")
{
    const auto judged_any = [](std::uint16_t type, std::uint16_t dns_class, DnsRecord record) {
        const question_key key = random_key();
        judge_rule rule{};
        rule.accepts = ACCEPTS_CNAMES;
        const Bytes message =
            DnsMessage{.flags = 0x8180,
                       .questions = {{.name = asked_name, .type = type, .dns_class = dns_class}},
                       .answers = {std::move(record)}};
        __u64 expectation = 0;
        const ExactBuffer buffer(message);
        REQUIRE(question_hash(buffer.cursor(), &key, &expectation));
        std::uint32_t rcode = 0;
        return judge_question_reply(buffer.cursor(), &key, &rule, expectation, WANTS_USEFUL,
                                    &rcode);
    };
    const DnsRecord text{.type = 16, .data = {0}};
    const DnsRecord others{.owner = dns_name("b.example"), .type = 16, .data = {0}};
    for (const std::uint16_t type : {std::uint16_t{251}, std::uint16_t{255}}) {
        CHECK(judged_any(type, 1, text) == JUDGE_VALID);
        CHECK(judged_any(type, 1, others) == JUDGE_WRONG_OWNER);
    }
    for (const std::uint16_t type : {std::uint16_t{250}, std::uint16_t{256}})
        CHECK(judged_any(type, 1, text) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_any(16, 1, text) == JUDGE_VALID);
    CHECK(judged_any(16, 3, text) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_any(16, 255, text) == JUDGE_VALID);
    CHECK(judged_any(15, 255, text) == JUDGE_EXTRA_RECORDS);
}

TEST_CASE("the usual reply is judged without a walk as a walk judges it")
{
    std::mt19937 random(11);
    const question_key key = random_key();
    judge_rule rule = rule_for(DNS_TYPE_AAAA);
    int usual = 0;
    int unusual = 0;
    const DnsRecord right{.type = 28, .data = right_aaaa};
    DnsMessage with_opt = reply({right}, 28);
    with_opt.additionals = {dns_opt(0, Bytes(4))};
    for (const Bytes &whole : {reply({right}, 28).bytes(), with_opt.bytes()})
        for (int i = 0; i < 200'000; i++) {
            Bytes message = whole;
            for (std::uint32_t n = random() % 3; n; n--)
                message[random() % message.size()] = static_cast<std::uint8_t>(random());
            if (random() % 4 == 0)
                message.resize(random() % (message.size() + 4));
            rule.accepts = random() % (1U << JUDGE_RULE_COUNT);
            const ExactBuffer buffer(message);
            for (const question_key *each : {static_cast<const question_key *>(nullptr), &key}) {
                const records_truth truth{
                    .rule = &rule, .key = each, .wants = wants_data(1), .address = address};
                const std::uint64_t found =
                    records_usual(buffer.cursor(), judge_name_length(&rule), &truth);
                (found != 0 ? usual : unusual)++;
                if (found != 0)
                    REQUIRE(found ==
                            records_walk_all(buffer.cursor(), judge_name_length(&rule), &truth));
            }
        }
    CHECK(usual > 100'000);
    CHECK(unusual > 100'000);
}

TEST_CASE("the records' hash decides about data, and only NOERROR is right")
{
    const std::uint64_t data = 0x123456789abcULL << RECORDS_DATA_SHIFT;
    const std::uint32_t wants = wants_data(data >> RECORDS_DATA_SHIFT) | WANTS_AA;
    const std::uint64_t whole = RECORDS_WHOLE | RECORDS_DATA;
    const auto found = [](std::uint64_t records, std::uint32_t wanted, std::uint32_t flags) {
        const judge_rule rule{};
        return judge_found(flags, 1, records, wanted, &rule);
    };
    for (unsigned rcode = 0; rcode < DNS_RCODES; rcode++)
        CHECK(found(data | whole, wants, 0x8580 | rcode) ==
              (rcode == 0 ? JUDGE_VALID : JUDGE_RCODE));
    CHECK(found(data | whole, wants, 0x8180) == JUDGE_WRONG_FLAGS);
    CHECK(found(RECORDS_WHOLE, wants, 0x8580) == JUDGE_NO_ANSWER);
    CHECK(found(RECORDS_DATA | data, wants, 0x8580) == JUDGE_MALFORMED);
    CHECK(found(data | whole | 0x100, wants, 0x8580) == JUDGE_RCODE);
    CHECK(found(RECORDS_WHOLE | 0x100, WANTS_ANY_RCODE, 0x8580) == JUDGE_VALID);
    CHECK(found(whole | 0x100, WANTS_ANY_RCODE, 0x8580) == JUDGE_EXTRA_RECORDS);
    CHECK(found(whole, WANTS_ANY_RCODE, 0x8580) == JUDGE_VALID);
    CHECK(found(data | whole, wants | WANTS_RRSIG, 0x8580) == JUDGE_NO_ANSWER);
    CHECK(found(data | whole | RECORDS_RRSIG, wants | WANTS_RRSIG, 0x8580) == JUDGE_VALID);
    CHECK(found(data | whole, wants, 0x8780) == JUDGE_TRUNCATED);
    // The hash's bits are no number of answers.
    const judge_rule rule{};
    CHECK(judge_found(0x8580, 4000, data | whole, wants, &rule) == JUDGE_VALID);
    // Each of 27 bits counts.
    for (unsigned bit = 0; bit < 27; bit++)
        CHECK(found((data ^ 1ULL << (RECORDS_DATA_SHIFT + bit)) | whole, wants, 0x8580) ==
              JUDGE_WRONG_DATA);
}

TEST_CASE("mix: the name tells the right data, the number tells the signatures")
{
    const DnsRecord right{.type = 28, .data = right_aaaa};
    const DnsRecord wrong{.type = 28, .data = Bytes(16, 1)};
    const DnsRecord signature{.type = 46, .data = Bytes(90, 0xc0)};
    const auto judged_with = [](const DnsMessage &message, std::uint32_t wants,
                                std::uint32_t accepts = 0, bool any_data = false) {
        const question_key key = random_key();
        judge_rule rule = rule_for(0); // the question says the type
        rule.accepts = accepts;
        rule.any_data = any_data ? 1 : 0;
        const Bytes octets = message;
        __u64 expectation = 0;
        const ExactBuffer buffer(octets);
        REQUIRE(question_hash(buffer.cursor(), &key, &expectation));
        std::uint32_t rcode = 0;
        return judge_question_reply(buffer.cursor(), &key, &rule, expectation, wants, &rcode);
    };
    const std::uint32_t any = WANTS_NAME;
    const std::uint32_t one = WANTS_NAME | 1U << WANTS_COUNT_SHIFT;
    const std::uint32_t two = WANTS_NAME | 2U << WANTS_COUNT_SHIFT | WANTS_RRSIG;
    for (const std::uint32_t wants : {any, one}) {
        CHECK(judged_with(reply({right}, 28), wants) == JUDGE_VALID);
        CHECK(judged_with(reply({{.data = right_a}}), wants) == JUDGE_VALID);
        CHECK(judged_with(reply({wrong}, 28), wants) == JUDGE_WRONG_DATA);
        CHECK(judged_with(reply({{.data = {10, 0, 0, 254}}}), wants) == JUDGE_WRONG_DATA);
        CHECK(judged_with(reply({right, wrong}, 28), wants) == JUDGE_EXTRA_RECORDS);
        CHECK(judged_with(reply({}, 28), wants) == JUDGE_NO_ANSWER);
        CHECK(judged_with(reply({wrong}, 28), wants, 0, true) == JUDGE_VALID);
        CHECK(judged_with(reply({wrong, right}, 28), wants, 0, true) ==
              (wants == any ? JUDGE_VALID : JUDGE_EXTRA_RECORDS));
    }
    for (std::uint32_t size = 0; size < 20; size++) {
        CHECK((judged_with(reply({{.data = Bytes(size, 10)}}), one) == JUDGE_MALFORMED) ==
              (size != 4));
        CHECK((judged_with(reply({{.type = 28, .data = Bytes(size, 10)}}, 28), one) ==
               JUDGE_MALFORMED) == (size != 16));
    }
    CHECK(judged_with(reply({right, signature}, 28), any) == JUDGE_VALID);
    CHECK(judged_with(reply({right, signature}, 28), one) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_with(reply({right, signature}, 28), one, ACCEPTS_EXTRA) == JUDGE_VALID);
    CHECK(judged_with(reply({right, signature}, 28), two) == JUDGE_VALID);
    CHECK(judged_with(reply({right}, 28), two) == JUDGE_NO_ANSWER);
    CHECK(judged_with(reply({right, signature, signature}, 28), two) == JUDGE_EXTRA_RECORDS);
    // A name that is no test name is never asked for so.
    DnsMessage other = reply({right}, 28);
    other.questions[0].name = dns_name("www.example.org");
    CHECK(judged_with(other, one) == JUDGE_WRONG_DATA);
    other.questions[0].name = {0};
    CHECK(judged_with(other, one) == JUDGE_WRONG_DATA);
    other.answers.clear();
    CHECK(judged_with(other, one) == JUDGE_NO_ANSWER);
}

TEST_CASE("number and data are the capture's own answer's")
{
    const DnsRecord right{.type = 28, .data = right_aaaa};
    const DnsRecord wrong{.type = 28, .data = Bytes(16, 1)};
    const DnsRecord alias{.type = 5, .data = dns_name("b")};
    DnsRecord behind = right;
    behind.owner = dns_name("b");
    const auto judged_with = [](std::vector<DnsRecord> answers) {
        return judged_of(captured, reply(std::move(answers), 28));
    };
    CHECK(judged_with({right}) == JUDGE_VALID);
    CHECK(judged_with({wrong}) == JUDGE_WRONG_DATA);
    CHECK(judged_with({right, wrong}) == JUDGE_WRONG_DATA);
    CHECK(judged_with({right, right}) == JUDGE_WRONG_DATA);
    CHECK(judged_with({right, {.type = 46, .data = Bytes(20)}}) == JUDGE_WRONG_DATA);
    CHECK(judged_with({alias, behind}) == JUDGE_WRONG_DATA);
    CHECK(judged_with({alias}) == JUDGE_NO_ANSWER);
}

TEST_CASE("list: with YXDOMAIN a DNAME has no CNAME")
{
    DnsMessage message = reply({{.owner = dns_name("test"), .type = 39, .data = {0}}}, 28);
    const auto judged_with = [&message](std::uint16_t rcode) {
        message.flags = static_cast<std::uint16_t>(0x8580 | rcode);
        const question_key key = random_key();
        judge_rule rule{};
        rule.accepts = ACCEPTS_CNAMES;
        const Bytes octets = message;
        const ExactBuffer buffer(octets);
        __u64 expectation = 0;
        REQUIRE(question_hash(buffer.cursor(), &key, &expectation));
        std::uint32_t told = 0;
        return judge_question_reply(buffer.cursor(), &key, &rule, expectation, WANTS_ANY_RCODE,
                                    &told);
    };
    for (std::uint16_t rcode = 0; rcode < DNS_RCODES; rcode++)
        CHECK(judged_with(rcode) ==
              (rcode == DNS_RCODE_YXDOMAIN ? JUDGE_VALID : JUDGE_EXTRA_RECORDS));
}

TEST_CASE("list: a question for any type takes a DNAME above its name, and their signatures")
{
    const auto at = [](const char *owner, DnsRecord record) {
        record.owner = dns_name(owner);
        return record;
    };
    const DnsRecord dname{.type = 39, .data = dns_name("example")};
    const DnsRecord alias{.type = 5, .data = dns_name("www.example")};
    const DnsRecord signature{.type = 46, .data = Bytes(20)};
    const auto judged_any = [](std::vector<DnsRecord> answers, std::uint16_t type = 255) {
        const Bytes message =
            DnsMessage{.flags = 0x8180,
                       .questions = {{.name = dns_name("www.example.org"), .type = type}},
                       .answers = std::move(answers)};
        const question_key key = random_key();
        judge_rule rule{};
        rule.accepts = ACCEPTS_CNAMES;
        const ExactBuffer buffer(message);
        __u64 expectation = 0;
        REQUIRE(question_hash(buffer.cursor(), &key, &expectation));
        std::uint32_t rcode = 0;
        return judge_question_reply(buffer.cursor(), &key, &rule, expectation, WANTS_USEFUL,
                                    &rcode);
    };
    CHECK(judged_any({at("org", dname), at("org", signature), alias}) == JUDGE_VALID);
    CHECK(judged_any({at("org", dname)}) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_any({at("com", dname), alias}) == JUDGE_EXTRA_RECORDS);
    CHECK(judged_any({at("com", signature), alias}) == JUDGE_EXTRA_RECORDS);
    // Data of other types may have the same octets, a repeated record may not stand there.
    const DnsRecord one{.type = 16, .data = {1, 2, 3}};
    const DnsRecord other{.type = 13, .data = {1, 2, 3}};
    CHECK(judged_any({one, other}) == JUDGE_VALID);
    CHECK(judged_any({one, other, one}) == JUDGE_EXTRA_RECORDS);
    // A DNAME and a signature may be what is asked for.
    CHECK(judged_any({dname}, 39) == JUDGE_VALID);
    CHECK(judged_any({dname, signature}, 39) == JUDGE_VALID);
    CHECK(judged_any({signature}, 46) == JUDGE_VALID);
    CHECK(judged_any({{.type = 41, .data = {}}}, 41) == JUDGE_MALFORMED);
    CHECK(judged_any({at("org", signature)}, 46) == JUDGE_EXTRA_RECORDS);
    // Servers follow a DNAME whatever the type, and a CNAME alone not.
    const DnsRecord end = at("www.example", {.type = 16, .data = {1, 'a'}});
    const DnsRecord end_signature = at("www.example", signature);
    CHECK(judged_any({at("org", dname), alias, end, end_signature}) == JUDGE_VALID);
    CHECK(judged_any({alias, end}) == JUDGE_WRONG_OWNER);
    CHECK(judged_any({at("org", dname), at("org", signature), alias, end_signature}, 46) ==
          JUDGE_VALID);
    CHECK(judged_any({at("org", dname), alias}, 5) == JUDGE_VALID);
    // Data of which only the size is hashed may be others.
    CHECK(judged_any({{.type = 48, .data = Bytes(65, 1)}, {.type = 48, .data = Bytes(65, 2)}},
                     48) == JUDGE_VALID);
    CHECK(judged_any({{.type = 48, .data = Bytes(64, 1)}, {.type = 48, .data = Bytes(64, 1)}},
                     48) == JUDGE_EXTRA_RECORDS);
}
