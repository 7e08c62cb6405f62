// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/query_message.h"

#include "system/random.h"

#include "wire/dns.h"
#include "wire/test_name.h"

#include <algorithm>

namespace dnsgauge
{

void write_query(const QueryMessage &query, std::vector<std::uint8_t> &message)
{
    const std::size_t end = DNS_HEADER_SIZE + query.name.size() + DNS_QUESTION_TAIL;
    message.assign(end + (query.edns_size ? DNS_OPT_SIZE : 0), 0);
    wire_put16(&message[0], query.id);
    wire_put16(&message[2], query.recursion_desired ? DNS_RD : 0);
    wire_put16(&message[4], 1);
    wire_put16(&message[10], query.edns_size ? 1 : 0);
    std::ranges::copy(query.name, &message[DNS_HEADER_SIZE]);
    wire_put16(&message[end - 4], query.type);
    wire_put16(&message[end - 2], query.query_class);
    if (!query.edns_size)
        return;
    wire_put16(&message[end + 1], DNS_TYPE_OPT);
    wire_put16(&message[end + 3], *query.edns_size);
    wire_put16(&message[end + 7], query.dnssec_ok ? DNS_OPT_DO : 0);
    if (query.options != nullptr)
        put_options(*query.options, message);
}

std::vector<std::uint8_t> name_message(const NameFormat &format)
{
    std::vector<std::uint8_t> name(1 + TEST_NAME_LABEL);
    name[0] = TEST_NAME_LABEL;
    test_name_write(&name[1], 0);
    OctetWriter(name).put(std::span(format.zone.wire).first(format.zone.length));
    std::vector<std::uint8_t> message;
    QueryMessage query{format};
    query.name = name;
    query.type = format.type;
    write_query(query, message);
    return message;
}

question_key new_question_key(const CaseWish &wish)
{
    auto key = random_value<question_key>();
    key.exact = wish.exact ? QUESTION_EXACT : 0;
    return key;
}

void CaseMixer::mix(std::span<std::uint8_t> message)
{
    constexpr std::uint8_t small = 0x20;
    constexpr unsigned bits = 64;
    std::uint64_t drawn = 0;
    unsigned left = 0; // of these bits
    std::size_t at = DNS_HEADER_SIZE;
    for (std::size_t label = message[at++]; label != 0; label = message[at++]) {
        for (; label != 0; label--, at++) {
            const std::uint8_t letter = dns_fold(message[at]);
            if (letter < 'a' || letter > 'z')
                continue;
            if (left == 0) {
                drawn = random_();
                left = bits;
            }
            message[at] = (drawn & 1) != 0 ? letter : static_cast<std::uint8_t>(letter & ~small);
            drawn >>= 1U;
            left--;
        }
    }
}

} // namespace dnsgauge
