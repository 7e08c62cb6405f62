// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a server of the Internet answers to one query: octets and a delay. These are pure functions.
#pragma once

#include "internet/world.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

enum class WorldAnswerKind : std::uint8_t {
    ignored, // no answer at all: not a query
    records, // of the type asked for
    alias,   // a CNAME record
    referral,
    nodata,
    nxdomain,
    hinfo,     // to ANY: RFC 8482 section 4.2
    refused,   // the server has no zone of the name, or not this class
    truncated, // TC
    limited,   // TC, because the client has had all answers of this second
    formerr,
    notimp,
    badvers,
    lame,     // by the server's character: a referral to the root
    servfail, // by the server's character
    lost,     // by chance, by a silent server, or because the answer is too large for a server that
              // drops such answers
};
constexpr unsigned world_answer_kinds = 16;

struct WorldQuestion {
    ServerNumber server = 0; // the server that is asked; 0 if no server has the address
    bool is_tcp = false;
    // The client has used up its answers. This answer has TC, and is no longer than the query.
    bool is_limited = false;
    // Seconds on the clock that counts TTLs down. If 0, TTLs stay as they are.
    std::uint64_t seconds = 0;
};

struct WorldAnswer {
    WorldAnswerKind kind = WorldAnswerKind::ignored;
    std::uint16_t type = 0;     // asked for; 0 if no question could be read
    std::size_t length = 0;     // octets of the answer; 0 if there is none
    std::uint64_t delay_ns = 0; // the time after which the answer leaves
};

constexpr std::size_t world_answer_room = 16384;     // octets that suffice for every answer
constexpr std::size_t world_udp_room = DNS_UDP_SIZE; // and for every answer by UDP

// Overwrites the query in the first `query_length` octets of `buffer` with its answer. `buffer`
// holds at least world_answer_room octets, or world_udp_room if the query came over UDP.
[[nodiscard]] WorldAnswer answer_world_query(const World &world, const WorldQuestion &question,
                                             std::span<std::uint8_t> buffer,
                                             std::size_t query_length);

} // namespace dnsgauge
