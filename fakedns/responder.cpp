// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/responder.h"

#include <cassert>

namespace dnsgauge
{

Answered answer_message(std::span<std::uint8_t> buffer, std::size_t query_length,
                        const answer_zones &zones)
{
    assert(buffer.size() >= answer_room(query_length));
    wire_cursor message{buffer.data(), buffer.data() + query_length};
    dns_query query{};
    answer answer{};

    answer.kind = answer_plan(message, &zones, &query, &answer);
    if (answer.kind == ANSWER_IGNORED)
        return {};

    const std::size_t size = answer_size(answer.kind, &query);
    message.end = message.pos + size;
    if (!answer_write(message, answer.kind, &query, &answer, &zones))
        return {};
    return {answer.kind, fakedns_type_of(answer.kind, query.type), size};
}

} // namespace dnsgauge
