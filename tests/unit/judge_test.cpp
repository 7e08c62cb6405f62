// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/judge.h"

#include "support/exact_buffer.h"
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
}

TEST_CASE("one right record among wrong ones is enough, wherever it is")
{
    for (std::size_t right = 0; right < 4; right++) {
        std::vector<DnsRecord> records(4, {.data = {1, 2, 3, 4}});
        records[right].data = right_a;
        REQUIRE(judged(reply(records)) == JUDGE_VALID);
    }
}

TEST_CASE("behind a CNAME chain the record is found at its other name")
{
    const DnsRecord second{.owner = dns_name("b.example"), .type = 5, .data = dns_name("c.d")};
    const DnsRecord last{.owner = dns_name("c.d"), .data = right_a};
    CHECK(judged(reply({cname, second, last})) == JUDGE_VALID);
    CHECK(judged(reply({cname, second})) == JUDGE_NO_ANSWER);
}

TEST_CASE("records of other types and classes are stepped over")
{
    const DnsRecord signature{.type = 46, .data = Bytes(90, 0xc0)};
    const DnsRecord chaos{.dns_class = 3, .data = right_a};
    const DnsRecord other_type{.type = 28, .data = right_aaaa};
    CHECK(judged(reply({signature, chaos, other_type})) == JUDGE_NO_ANSWER);
    CHECK(judged(reply({signature, chaos, other_type, {.data = right_a}})) == JUDGE_VALID);
}

TEST_CASE("a right record outside the answer section is no answer")
{
    DnsMessage message = reply({});
    message.authorities = {{.data = right_a}};
    message.additionals = {{.data = right_a}};
    CHECK(judged(message) == JUDGE_NO_ANSWER);
}

TEST_CASE("owners may be pointers, whole names, the root, or labels before a pointer")
{
    for (const Bytes &owner : {Bytes{0xc0, 0x0c}, Bytes{0xff, 0xff}, Bytes{0}, dns_name(name_text),
                               Bytes{1, 'a', 0xc0, 0x0c}})
        CHECK(judged(reply({{.owner = owner, .data = right_a}})) == JUDGE_VALID);
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

TEST_CASE("of all flags only QR and opcode zero make a reply, TC makes it truncated")
{
    for (std::uint32_t flags = 0; flags < 0x10000; flags++) {
        DnsMessage message = reply({{.data = right_a}});
        message.flags = static_cast<std::uint16_t>(flags);
        const judgement expected = (flags & 0xf800) != 0x8000 ? JUDGE_MALFORMED
                                   : flags & 0x000f           ? JUDGE_RCODE
                                   : flags & 0x0200           ? JUDGE_TRUNCATED
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
    never_valid(reply({cname, {.owner = dns_name("b.example"), .data = right_a}}), DNS_TYPE_A);
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

TEST_CASE("more steps than are looked at are malformed, the last one that is looked at is")
{
    const DnsRecord text{.type = 16, .data = {0}};
    std::vector<DnsRecord> records(JUDGE_STEPS_MAX - 1, text);
    records.push_back({.data = right_a});
    CHECK(judged(reply(records)) == JUDGE_VALID);
    records.insert(records.begin(), text);
    CHECK(judged(reply(records)) == JUDGE_MALFORMED);

    const std::string deep = "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a";
    CHECK(judged(reply({{.owner = dns_name(deep), .data = right_a}})) == JUDGE_VALID);
    CHECK(judged(reply({{.owner = dns_name(deep + "." + deep), .data = right_a}})) ==
          JUDGE_MALFORMED);
}

TEST_CASE("random changes and garbage are judged without a read beyond the message")
{
    std::mt19937 random(9);
    const Bytes whole = reply({cname, {.owner = dns_name("b.example"), .data = right_a}});
    int seen[JUDGEMENTS] = {};
    for (int i = 0; i < 200'000; i++) {
        Bytes message = whole;
        for (std::uint32_t n = random() % 4; n; n--)
            message[random() % message.size()] = static_cast<std::uint8_t>(random());
        if (random() % 4 == 0)
            message.resize(random() % (message.size() + 1));
        seen[judged(message)]++;
    }
    // Only a list's query can want flags.
    CHECK(std::exchange(seen[JUDGE_WRONG_FLAGS], 1) == 0);
    CHECK(std::all_of(std::begin(seen), std::end(seen), [](int count) { return count > 0; }));
}

TEST_CASE("what answers the question, however badly, is told from what does not")
{
    for (const judgement judgement : {JUDGE_VALID, JUDGE_RCODE, JUDGE_TRUNCATED, JUDGE_NO_ANSWER,
                                      JUDGE_WRONG_DATA, JUDGE_WRONG_FLAGS})
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
    const judgement judged =
        judge_question_reply(buffer.cursor(), &key, expectation, wants, &rcode);
    return {judged, rcode};
}

} // namespace

TEST_CASE("of a list, a reply to the whole question is valid if its RCODE is useful")
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

TEST_CASE("of a list, a truncated reply is truncated, unless its RCODE says no")
{
    CHECK(judge_listed(listed_reply(0x8380)).judged == JUDGE_TRUNCATED);
    CHECK(judge_listed(listed_reply(0x8382)).judged == JUDGE_RCODE);
    CHECK(judge_listed(listed_reply(0x8382), WANTS_ANY_RCODE).judged == JUDGE_TRUNCATED);
}

TEST_CASE("of a list, a line's own RCODE is right, and no other")
{
    for (unsigned wanted = 0; wanted < DNS_RCODES; wanted++)
        for (unsigned rcode = 0; rcode < DNS_RCODES; rcode++) {
            CAPTURE(wanted, rcode);
            const auto flags = static_cast<std::uint16_t>(0x8180 | rcode);
            CHECK(judge_listed(listed_reply(flags), 1U << wanted).judged ==
                  (rcode == wanted ? JUDGE_VALID : JUDGE_RCODE));
        }
}

TEST_CASE("of a list, a flag that is wanted must be set")
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

TEST_CASE("of a list, as many answers as are wanted must be there")
{
    for (std::uint32_t wanted = 0; wanted < 4; wanted++)
        for (std::uint32_t answers = 0; answers < 4; answers++) {
            DnsMessage reply = listed_reply();
            reply.answers.assign(answers, {.type = asked_type, .data = {0, 1, 0}});
            CAPTURE(wanted, answers);
            const judgement expected = answers < wanted   ? JUDGE_NO_ANSWER
                                       : answers > wanted ? JUDGE_WRONG_DATA
                                                          : JUDGE_VALID;
            CHECK(judge_listed(reply, WANTS_USEFUL | WANTS_COUNT | wanted << WANTS_COUNT_SHIFT)
                      .judged == expected);
            CHECK(judge_listed(reply).judged == JUDGE_VALID);
        }
}

TEST_CASE("of a list, another name, type or class is another question")
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

TEST_CASE("of a list, what is no reply or has not one question is malformed")
{
    CHECK(judge_listed(listed_reply(0x0100)).judged == JUDGE_MALFORMED);
    CHECK(judge_listed(listed_reply(0xa180)).judged == JUDGE_MALFORMED);
    DnsMessage none = listed_reply();
    none.questions.clear();
    CHECK(judge_listed(none).judged == JUDGE_MALFORMED);
    none.flags = 0x8181;
    CHECK(judge_listed(none, WANTS_ANY_RCODE).judged == JUDGE_RCODE);
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

TEST_CASE("of data, the records' hash decides, and nothing but NOERROR is right")
{
    const std::uint64_t data = 0x123456789abcULL << RECORDS_DATA_SHIFT;
    const std::uint32_t wants = wants_data(data >> RECORDS_DATA_SHIFT) | WANTS_AA;
    for (unsigned rcode = 0; rcode < DNS_RCODES; rcode++) {
        const auto flags = static_cast<std::uint16_t>(0x8580 | rcode);
        CHECK(judge_listed(listed_reply(flags), wants).judged ==
              (rcode == 0 ? JUDGE_VALID : JUDGE_RCODE));
    }
    CHECK(judge_listed(listed_reply(), wants).judged == JUDGE_WRONG_FLAGS);
    const std::uint64_t whole = RECORDS_WHOLE | RECORDS_ANSWERS;
    CHECK(judge_found(JUDGE_VALID, data | whole | RECORDS_DATA, wants) == JUDGE_VALID);
    CHECK(judge_found(JUDGE_VALID, whole, wants) == JUDGE_NO_ANSWER);
    CHECK(judge_found(JUDGE_VALID, RECORDS_DATA | data, wants) == JUDGE_MALFORMED);
    CHECK(judge_found(JUDGE_VALID, data | whole | RECORDS_DATA | 0x100, wants) == JUDGE_RCODE);
    CHECK(judge_found(JUDGE_VALID, data | whole | RECORDS_DATA, wants | WANTS_RRSIG) ==
          JUDGE_NO_ANSWER);
    CHECK(judge_found(JUDGE_WRONG_FLAGS, data | whole | RECORDS_DATA, wants) == JUDGE_WRONG_FLAGS);
    // Each of 27 bits counts.
    for (unsigned bit = 0; bit < 27; bit++)
        CHECK(judge_found(JUDGE_VALID,
                          (data ^ 1ULL << (RECORDS_DATA_SHIFT + bit)) | whole | RECORDS_DATA,
                          wants) == JUDGE_WRONG_DATA);
}
