// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/question.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <cctype>
#include <optional>
#include <random>
#include <set>

using namespace dnsgauge::testing;

namespace
{

question_key key_of(unsigned seed, bool is_exact = false)
{
    question_key key{.exact = is_exact ? QUESTION_EXACT : 0};
    std::mt19937_64 random(seed);
    for (auto &word : key.name)
        word = random();
    key.tail = random();
    return key;
}

const question_key key = key_of(1);
const question_key exact_key = key_of(1, true);

// From the first label to the root.
Bytes wire_name(const std::vector<Bytes> &labels)
{
    Bytes name;
    for (const Bytes &label : labels) {
        name.push_back(static_cast<std::uint8_t>(label.size()));
        name.insert(name.end(), label.begin(), label.end());
    }
    name.push_back(0);
    return name;
}

Bytes message_of(const Bytes &name, std::uint16_t type = 1, std::uint16_t dns_class = 1)
{
    return DnsMessage{.questions = {{.name = name, .type = type, .dns_class = dns_class}}};
}

std::optional<std::uint64_t> hash_of(const Bytes &message, const question_key &with = key)
{
    __u64 hash = 0;
    if (!question_hash(ExactBuffer(message).cursor(), &with, &hash))
        return std::nullopt;
    return hash;
}

// The definition, octet by octet.
std::uint64_t reference(const Bytes &name, std::uint16_t type, std::uint16_t dns_class,
                        bool is_exact)
{
    const auto mix = [](std::uint64_t word, std::uint64_t with) {
        const std::uint64_t low = (word + with) & 0xffffffff;
        const std::uint64_t high = ((word >> 32) + (with >> 32)) & 0xffffffff;
        return low * high;
    };
    const std::size_t words = name.size() / 8;
    std::uint64_t sum = 0;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < name.size(); i++) {
        word = word << 8 | static_cast<std::uint64_t>(is_exact ? name[i] : std::tolower(name[i]));
        if (i % 8 == 7) {
            sum += mix(word, key.name[i / 8]);
            word = 0;
        }
    }
    sum += mix(word, key.name[words]);
    const std::uint64_t tail =
        std::uint64_t{type} << 48 | std::uint64_t{dns_class} << 32 | name.size();
    return sum + mix(tail, key.tail);
}

} // namespace

TEST_CASE("the hash is the definition's, for names of every length")
{
    std::mt19937 random(3);
    for (std::size_t length = 1; length <= DNS_NAME_MAX; length++) {
        if (length == 2)
            continue; // a label of one octet and the root take three
        std::vector<Bytes> labels;
        for (std::size_t left = length - 1; left != 0;) {
            std::size_t octets = std::min<std::size_t>(left - 1, 1 + random() % DNS_LABEL_MAX);
            if (left - 1 - octets == 1)
                octets = octets == 1 ? 2 : octets - 1;
            Bytes label(octets);
            for (auto &octet : label)
                octet = static_cast<std::uint8_t>(random());
            labels.push_back(label);
            left -= 1 + octets;
        }
        const Bytes name = wire_name(labels);
        REQUIRE(name.size() == length);
        for (const std::uint16_t type :
             std::initializer_list<std::uint16_t>{1, 65, 97, 255, 65535}) {
            CAPTURE(length, type);
            const Bytes message = message_of(name, type, 3);
            CHECK(hash_of(message) == reference(name, type, 3, false));
            CHECK(hash_of(message, exact_key) == reference(name, type, 3, true));
        }
    }
}

TEST_CASE("letters of the name are folded, and nothing else is")
{
    for (unsigned octet = 0; octet < 256; octet++) {
        const auto as_is = static_cast<std::uint8_t>(octet);
        const auto other = static_cast<std::uint8_t>(octet ^ 0x20);
        const bool letter = (octet | 0x20) >= 'a' && (octet | 0x20) <= 'z';
        CAPTURE(octet);
        CHECK((hash_of(message_of(wire_name({{as_is}}))) ==
               hash_of(message_of(wire_name({{other}})))) == letter);
    }
    // 'A' and 'a' as types, in a question whose length makes the type follow in the last word.
    CHECK(hash_of(message_of(dns_name("abc"), 65)) != hash_of(message_of(dns_name("abc"), 97)));
}

TEST_CASE("where letters count, no octet is another")
{
    for (unsigned octet = 0; octet < 256; octet++) {
        CAPTURE(octet);
        // In a whole word of the hash, and in its rest.
        for (const std::size_t before : {0U, 7U, 8U, 30U}) {
            const auto with = [&](unsigned last) {
                Bytes label(before, 'a');
                label.push_back(static_cast<std::uint8_t>(last));
                return hash_of(message_of(wire_name({label})), exact_key);
            };
            CHECK(with(octet) != with(octet ^ 0x20));
        }
    }
}

TEST_CASE("different questions have different hashes")
{
    std::set<std::uint64_t> hashes;
    std::size_t questions = 0;
    const auto add = [&](const Bytes &name, std::uint16_t type, std::uint16_t dns_class) {
        hashes.insert(hash_of(message_of(name, type, dns_class)).value());
        questions++;
    };
    for (unsigned type = 0; type < 65536; type += 7)
        for (const std::uint16_t dns_class : std::initializer_list<std::uint16_t>{1, 3, 255})
            add(dns_name("example.org"), static_cast<std::uint16_t>(type), dns_class);
    // Zeros in labels: names that differ in how many there are, and where a label ends.
    for (std::size_t zeros = 0; zeros <= DNS_LABEL_MAX; zeros++)
        for (std::size_t more = 1; more <= DNS_LABEL_MAX; more++)
            add(wire_name({Bytes(more, 0), Bytes(zeros + 1 > 63 ? 63 : zeros + 1, 0)}), 28,
                static_cast<std::uint16_t>(zeros));
    CHECK(hashes.size() == questions);
}

TEST_CASE("another key gives another hash")
{
    const Bytes message = message_of(dns_name("example.org"));
    const question_key other = key_of(2);
    __u64 hash = 0;
    REQUIRE(question_hash(ExactBuffer(message).cursor(), &other, &hash));
    CHECK(hash != hash_of(message));
}

TEST_CASE("what is no whole uncompressed question has no hash")
{
    const Bytes whole = message_of(dns_name("www.example.org"));
    REQUIRE(hash_of(whole));
    for (std::size_t size = DNS_HEADER_SIZE; size < whole.size(); size++)
        CHECK_FALSE(hash_of(Bytes(whole.begin(), whole.begin() + static_cast<long>(size))));
    CHECK_FALSE(hash_of(message_of({0xc0, 0x0c})));
    CHECK_FALSE(hash_of(message_of({1, 'a', 0xc0, 0x0c})));
    CHECK_FALSE(hash_of(message_of({0x40, 'a', 0})));
    const Bytes label(DNS_LABEL_MAX, 'a');
    CHECK_FALSE(hash_of(message_of(wire_name({label, label, label, label}))));
    CHECK(hash_of(message_of(wire_name({label, label, label, Bytes(61, 'a')}))));
}
