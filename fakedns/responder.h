// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the answer to one query. The sockets do by this what fakedns.bpf.c does in the kernel, with
// the same three calls of wire/answer.h. Pure: no socket, no clock, no state.
#pragma once

#include "fakedns_abi.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

struct Answered {
    answer_kind kind = ANSWER_IGNORED;
    unsigned type = FAKEDNS_TYPE_OTHER; // asked for: a fakedns_type
    std::size_t length = 0;             // octets of the answer; 0 exactly when the query is ignored
};

// Returns room that always suffices to answer a query of `query_length` octets in place.
constexpr std::size_t answer_room(std::size_t query_length)
{
    return query_length < ANSWER_SIZE_MAX ? std::size_t{ANSWER_SIZE_MAX} : query_length;
}

// Overwrites the query in the first `query_length` octets of `buffer` with its answer.
// `buffer` holds at least answer_room(query_length) octets.
[[nodiscard]] Answered answer_message(std::span<std::uint8_t> buffer, std::size_t query_length,
                                      const answer_zones &zones);

} // namespace dnsgauge
