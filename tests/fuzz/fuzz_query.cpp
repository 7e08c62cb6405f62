// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any bytes as a query to FakeDNS. Its answer is a whole message that answers the query.
#include "fuzz.h"

#include "support/exact_buffer.h"
#include "support/program_configs.h"
#include "wire/answer.h"

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// As many zones as there can be, with the shortest and the longest name among them, and one without
// an address.
answer_zones fuzz_zones()
{
    answer_zones zones = fakedns_many_zones_config().zones;
    std::fill(std::begin(zones.zone[1].server_ipv4), std::end(zones.zone[1].server_ipv4),
              std::uint8_t{0});
    std::fill(std::begin(zones.zone[1].server_ipv6), std::end(zones.zone[1].server_ipv6),
              std::uint8_t{0});
    return zones;
}

// The records after the question end where the message does.
bool records_fill(std::span<const std::uint8_t> message, std::size_t offset)
{
    std::uint32_t records = 0;
    for (std::size_t section = 6; section < 12; section += 2)
        records += wire_get16(message.data() + section);
    for (; records && offset + 11 <= message.size(); records--) {
        const std::size_t owner = message[offset] ? 2 : 1;
        if (offset + owner + DNS_RECORD_TAIL > message.size())
            return false;
        offset += owner + DNS_RECORD_TAIL + wire_get16(message.data() + offset + owner + 8);
    }
    return !records && offset == message.size();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const answer_zones zones = fuzz_zones();
    const std::span input(data, size);
    const ExactBuffer asked(input);
    dns_query walked{};
    const dns_query_status status = dns_read_query(asked.cursor(), 0, &walked);
    dns_query query{};
    answer answer{};
    const answer_kind kind = answer_plan(asked.cursor(), &zones, &query, &answer);
    must(kind < ANSWER_KINDS, "the kind is one of the kinds");
    must((kind == ANSWER_IGNORED) == (status == DNS_QUERY_IGNORED), "only what is ignored is");
    if (kind == ANSWER_IGNORED)
        return 0;
    must(status != DNS_QUERY_GOOD ||
             (query.name_length == walked.name_length && query.type == walked.type &&
              query.has_edns == walked.has_edns),
         "a name that is recognised is as long as one that is walked");
    must((kind == ANSWER_FORMERR) == (status == DNS_QUERY_FORMERR), "a broken query is told");

    const std::uint32_t length = answer_size(kind, &query);
    must(length <= 512, "an answer needs no truncation");
    const ExactBuffer reply(input, length);
    must(answer_write(reply.cursor(), kind, &query, &answer, &zones), "the size is enough");
    const auto bytes = reply.bytes();
    must(std::equal(bytes.begin(), bytes.begin() + 2, data), "the ID comes back");
    must((bytes[2] & 0x80) != 0, "an answer is a response");
    std::size_t records = DNS_HEADER_SIZE;
    if (answer_has_question(kind)) {
        records += query.name_length + DNS_QUESTION_TAIL;
        must(std::equal(bytes.begin() + DNS_HEADER_SIZE, bytes.begin() + static_cast<long>(records),
                        data + DNS_HEADER_SIZE),
             "the question comes back byte for byte");
    }
    must(records_fill(bytes, records), "the records fill the message");

    // An answer with nothing after the question needs no check there.
    const ExactBuffer short_by_one(input, length - 1);
    const bool written = answer_write(short_by_one.cursor(), kind, &query, &answer, &zones);
    must(!written || (answer_has_question(kind) && records == length),
         "a record that would not fit is told");
    return 0;
}
