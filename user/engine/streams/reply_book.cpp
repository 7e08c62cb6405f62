// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/reply_book.h"

#include "wire/judge.h"
#include "wire/records.h"

#include <algorithm>

namespace dnsgauge
{

judged_reply ReplyBook::judge(const OpenQuery &query, std::span<const std::uint8_t> message) const
{
    // The judge writes nothing. The kernel's programs have no pointers to constant octets.
    auto *const begin = const_cast<std::uint8_t *>(message.data());
    const wire_cursor cursor{begin, begin + message.size()};
    switch (expectations_) {
    case ExpectationKind::names:
        return judge_name_reply(cursor, &plan_.rule, static_cast<std::uint32_t>(query.expectation));
    case ExpectationKind::questions:
        break;
    }
    return judge_hashed_reply(cursor, &plan_.questions, &plan_.rule, query.expectation,
                              query.wants);
}

void ReplyBook::take(OpenQuery &query, std::span<const std::uint8_t> message, std::size_t size,
                     std::int64_t at_ns)
{
    const auto rtt = static_cast<std::uint64_t>(std::max(at_ns - query.sent_ns, std::int64_t{0}));
    const judged_reply reply = judge(query, message);
    const query_state before = query.state;
    const query_state after = state_after(before, reply.judgement, rtt, timeout_ns_);
    if (after == QUERY_NONE) {
        const bool repeats = state_repeats(before, reply.judgement) != 0;
        (repeats ? tally_.strays.duplicate : tally_.strays.unexpected)++;
        return;
    }
    query.state = after;
    query.rtt_ns = rtt;
    query.rcode = dns_rcode_count(reply_rcode(reply.flags, reply.found));
    count(query, before, reply, size);
}

void ReplyBook::take_opening(OpenQuery &query, std::int64_t at_ns)
{
    query.rtt_ns = static_cast<std::uint64_t>(std::max(at_ns - query.sent_ns, std::int64_t{0}));
    query.state = query.rtt_ns <= timeout_ns_ ? QUERY_VALID : QUERY_LATE;
    QueryTally &queries = tally_.queries;
    queries.states[query.state]++;
    answered_++;
    if (query.state == QUERY_VALID)
        queries.rtts.add(query.rtt_ns);
}

// A misfit may have come in time before the answer. Now that the answer is here, that misfit counts
// as an unexpected message.
void ReplyBook::count(const OpenQuery &query, query_state before, const judged_reply &reply,
                      std::size_t size)
{
    QueryTally &queries = tally_.queries;
    queries.states[query.state]++;
    if (before == QUERY_OUTSTANDING) {
        answered_++;
    } else {
        queries.states[before]--;
        tally_.strays.unexpected++;
    }
    if (judge_answers_question(reply.judgement) != 0) {
        queries.rcodes[query.rcode]++;
        tally_.traits.count(size, reply.flags, reply.has_question != 0, reply.found);
    }
    if (query.state == QUERY_LATE)
        queries.late_rcodes[query.rcode]++;
    if (query.state == QUERY_VALID)
        queries.rtts.add(query.rtt_ns);
}

} // namespace dnsgauge
