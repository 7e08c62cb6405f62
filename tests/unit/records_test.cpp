// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/records.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <vector>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t name_length = 17; // of www.example.org

std::uint64_t read_with(const Bytes &message, std::uint32_t wants, const question_key &key)
{
    const ExactBuffer buffer(message);
    judge_rule rule{};
    rule.accepts = ACCEPTS_CNAMES;
    const records_truth truth{.rule = &rule, .key = &key, .wants = wants, .address = 0};
    const std::uint64_t found = records_read(buffer.cursor(), name_length, &truth);
    CHECK(found == records_walk_all(buffer.cursor(), name_length, &truth));
    return found;
}

// Returns whether the message is whole, has a signature, and has an extended RCODE.
std::uint32_t read(const Bytes &message)
{
    const std::uint64_t found = read_with(message, 0, question_key{});
    CHECK((found >> RECORDS_DATA_SHIFT) == 0);
    return static_cast<std::uint32_t>(found) & (RECORDS_WHOLE | RECORDS_RRSIG | RECORDS_RCODE);
}

const question_key &some_key()
{
    static const question_key key = [] {
        question_key made{};
        std::uint64_t value = 1;
        for (__u64 &word : made.name)
            word = value *= 0x9e3779b97f4a7c15;
        made.tail = value *= 0x9e3779b97f4a7c15;
        return made;
    }();
    return key;
}

std::uint64_t read_data(const Bytes &message)
{
    return read_with(message, WANTS_DATA, some_key());
}

// Returns the hash that the answer section of these data must have.
std::uint64_t hash_of(const std::vector<Bytes> &all)
{
    std::uint64_t sum = 0;
    for (const Bytes &data : all) {
        Bytes octets(8);
        octets.insert(octets.end(), data.begin(), data.end());
        std::uint8_t *at = octets.data() + 8;
        sum += question_data(at, static_cast<__u32>(data.size()), at + data.size(), &some_key());
    }
    return sum << RECORDS_DATA_SHIFT >> RECORDS_DATA_SHIFT;
}

DnsRecord record(std::uint16_t type, std::size_t size = 4)
{
    return {.type = type, .data = Bytes(size)};
}

DnsMessage reply()
{
    return {.flags = 0x8180,
            .questions = {{.name = dns_name("www.example.org")}},
            .answers = {record(DNS_TYPE_A)}};
}

constexpr std::uint32_t badvers = 1U << RECORDS_RCODE_SHIFT;

} // namespace

TEST_CASE("a message without signature and OPT record is read whole, and that is all")
{
    CHECK(read(reply()) == RECORDS_WHOLE);
    DnsMessage empty = reply();
    empty.answers.clear();
    CHECK(read(empty) == RECORDS_WHOLE);
}

TEST_CASE("a signature counts in the answer section alone")
{
    DnsMessage message = reply();
    message.answers.push_back(record(DNS_TYPE_RRSIG, 100));
    CHECK(read(message) == (RECORDS_WHOLE | RECORDS_RRSIG));
    message = reply();
    message.authorities = {record(DNS_TYPE_SOA, 30), record(DNS_TYPE_RRSIG, 100)};
    CHECK(read(message) == RECORDS_WHOLE);
}

TEST_CASE("the OPT record has the upper bits of the RCODE, whatever stands around the record")
{
    DnsMessage message = reply();
    message.additionals = {dns_opt()};
    CHECK(read(message) == RECORDS_WHOLE);
    message.additionals = {record(DNS_TYPE_AAAA, 16), dns_opt(1U << 24U, Bytes(20)),
                           record(DNS_TYPE_A)};
    CHECK(read(message) == (RECORDS_WHOLE | badvers));
    message.additionals = {dns_opt(0xffU << 24U)};
    CHECK(read(message) == (RECORDS_WHOLE | RECORDS_RCODE));
}

TEST_CASE("a message that ends too early, or has too many records, is not read whole")
{
    DnsMessage message = reply();
    message.answers.push_back(record(DNS_TYPE_RRSIG, 10));
    const Bytes whole = message.bytes();
    for (std::size_t size = 0; size < whole.size(); size++) {
        CAPTURE(size);
        const std::uint32_t found = read(Bytes(whole.data(), whole.data() + size));
        CHECK((found & RECORDS_WHOLE) == 0);
    }
    CHECK(read(whole) == (RECORDS_WHOLE | RECORDS_RRSIG));
}

TEST_CASE("a limited number of labels and records is looked at")
{
    // The answer, seven records of a root's name each, labels of one octet, and the end.
    DnsMessage message = reply();
    const std::string half =
        "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."
        "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"; // 63 labels
    const auto with_roots = [&](std::size_t roots) {
        message.additionals.assign(15, record(16, 0));
        for (DnsRecord &each : message.additionals)
            each.owner = dns_name(half);
        DnsRecord root = record(16, 0);
        root.owner = {0};
        message.additionals.insert(message.additionals.end(), roots, root);
        return read(message);
    };
    // 1 + 15 * 64 + roots + 1 steps.
    CHECK(with_roots(RECORDS_STEPS_MAX - 962) == RECORDS_WHOLE);
    CHECK(with_roots(RECORDS_STEPS_MAX - 961) == 0);
}

TEST_CASE("names that are no names end the reading")
{
    for (const std::uint8_t first : std::array<std::uint8_t, 2>{0x40, 0x80}) {
        DnsMessage message = reply();
        message.answers.push_back(record(DNS_TYPE_RRSIG));
        message.answers[0].owner = {first, 0x0c};
        CHECK(read(message) == 0);
    }
}

TEST_CASE("the data of the type asked for are hashed, in any order, and no others")
{
    const auto of = [](const Bytes &message) { return read_data(message) >> RECORDS_DATA_SHIFT; };
    const auto with = [](std::vector<DnsRecord> answers) {
        DnsMessage message = reply();
        message.questions.at(0).type = DNS_TYPE_A;
        message.answers = std::move(answers);
        return message;
    };
    const DnsRecord one{.type = DNS_TYPE_A, .data = {192, 0, 2, 1}};
    const DnsRecord two{.type = DNS_TYPE_A, .data = {192, 0, 2, 2}};
    const std::uint64_t both = hash_of({one.data, two.data});
    CHECK(of(with({one, two})) == both);
    CHECK(of(with({two, one})) == both);
    CHECK(of(with({record(16, 20), two, one, record(DNS_TYPE_RRSIG, 90)})) == both);
    CHECK(of(with({one})) == hash_of({one.data}));
    CHECK(of(with({one, one})) != both);
    DnsMessage other = with({one});
    other.authorities = {two};
    other.additionals = {two};
    CHECK(of(other) == hash_of({one.data}));
    other.answers.at(0).dns_class = 3;
    CHECK((read_data(other) & RECORDS_DATA) == 0);
    CHECK((read_data(with({one})) & RECORDS_DATA) != 0);
    CHECK((read_data(with({})) & (RECORDS_DATA | RECORDS_WHOLE)) == RECORDS_WHOLE);
}

TEST_CASE("data of all sizes have hashes of their own, up to a size")
{
    std::set<std::uint64_t> hashes;
    for (std::size_t size = 0; size <= QUESTION_DATA_MAX; size++) {
        Bytes data(size, 0);
        DnsMessage message = reply();
        message.questions.at(0).type = 16;
        message.answers = {{.type = 16, .data = data}};
        const std::uint64_t found = read_data(message);
        CHECK((found & RECORDS_WHOLE) != 0);
        CHECK(found >> RECORDS_DATA_SHIFT == hash_of({data}));
        CHECK(hashes.insert(found >> RECORDS_DATA_SHIFT).second);
        for (std::size_t at = 0; at < size; at++) {
            Bytes changed = data;
            changed.at(at) ^= 0x80;
            CHECK(hashes.insert(hash_of({changed})).second);
        }
    }
    // Neighbouring addresses, whose sums are equal, are other data.
    CHECK(hash_of({{10, 0, 0, 1}, {10, 0, 0, 3}}) != hash_of({{10, 0, 0, 2}, {10, 0, 0, 2}}));
}

TEST_CASE("no data are believed that the message does not have")
{
    DnsMessage message = reply();
    message.questions.at(0).type = 16;
    message.answers = {{.type = 16, .data = Bytes(40, 7)}};
    const Bytes whole = message.bytes();
    for (std::size_t size = 0; size < whole.size(); size++) {
        const std::uint64_t found = read_data(Bytes(whole.data(), whole.data() + size));
        CHECK(found >> RECORDS_DATA_SHIFT == 0);
    }
}
