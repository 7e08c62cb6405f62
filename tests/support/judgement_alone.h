// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The judges of wire/judge.h, for tests that look at the judgement and the RCODE alone.
#pragma once

#include "wire/judge.h"

namespace dnsgauge::testing
{

// Returns the judgement of judge_name_reply(). Sets `rcode` to the reply's RCODE; 0 if it has none.
inline judgement judge_reply(wire_cursor message, const judge_rule *rule, __u32 address,
                             __u32 *rcode)
{
    const judged_reply reply = judge_name_reply(message, rule, address);
    *rcode = reply_rcode(reply.flags, reply.found);
    return reply.judgement;
}

// Returns the judgement of judge_hashed_reply(), likewise.
inline judgement judge_question_reply(wire_cursor message, const question_key *key,
                                      const judge_rule *rule, __u64 expectation, __u32 wants,
                                      __u32 *rcode)
{
    const judged_reply reply = judge_hashed_reply(message, key, rule, expectation, wants);
    *rcode = reply_rcode(reply.flags, reply.found);
    return reply.judgement;
}

} // namespace dnsgauge::testing
