// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the answer to one query, and makes it wrong as the plan says. The sockets do by this what
// fault.bpf.c does in the kernel, with the same functions of wire/fault.h. Pure.
#pragma once

#include "fakedns/responder.h"

#include "wire/fault.h"

namespace dnsgauge
{

struct FaultyAnswer {
    Answered answered;      // length 0: nothing is sent
    bool is_answer = false; // the query was not ignored: its fault counts
    unsigned fault = FAULT_NONE;
    std::uint64_t delay_ns = 0;
    unsigned copies = 0;
};

// Does what answer_message() does. `buffer` also holds at least FAULT_PAD_MAX octets.
[[nodiscard]] FaultyAnswer faulty_answer_message(std::span<std::uint8_t> buffer,
                                                 std::size_t query_length,
                                                 const answer_zones &zones, const fault_plan &plan);

} // namespace dnsgauge
