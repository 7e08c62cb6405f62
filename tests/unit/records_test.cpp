// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/records.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <array>

using namespace dnsgauge::testing;

namespace
{

std::uint32_t read(const Bytes &message)
{
    const ExactBuffer buffer(message);
    return records_read(buffer.cursor());
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
    CHECK(read(DnsMessage{}) == RECORDS_WHOLE);
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
    // What the answer section calls an OPT record is none.
    message = reply();
    message.answers.push_back(dns_opt(1U << 24U));
    CHECK(read(message) == RECORDS_WHOLE);
}

TEST_CASE("a message that ends too early, or has too many records, is not read whole")
{
    DnsMessage message = reply();
    message.answers.push_back(record(DNS_TYPE_RRSIG, 10));
    const Bytes whole = message.bytes();
    for (std::size_t size = 0; size < whole.size(); size++) {
        CAPTURE(size);
        const std::uint32_t found = read(Bytes(whole.data(), whole.data() + size));
        // The length of a record's data is believed; the next record would not be.
        CHECK((found & RECORDS_WHOLE) == (size + 10 >= whole.size() ? RECORDS_WHOLE : 0));
    }
    message = reply();
    message.answers.assign(RECORDS_STEPS_MAX - 5, record(DNS_TYPE_A)); // three labels, two ends
    CHECK(read(message) == RECORDS_WHOLE);
    message.answers.push_back(record(DNS_TYPE_A));
    CHECK(read(message) == 0);
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
