// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/reply_book.h"

#include "wire/dns.h"
#include "wire/judge.h"
#include "wire/records.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace dnsgauge
{

judged_reply ReplyBook::judge(const OpenQuery &query, std::span<const std::uint8_t> message) const
{
    // The judge writes nothing. It takes no pointer to constant octets because kernel programs have
    // none.
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

// If a wrong reply came in time before the right one, the wrong one now counts as an unexpected
// message.
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

namespace
{

constexpr std::chrono::milliseconds unit{100};
constexpr unsigned pointer = DNS_POINTER >> 8U; // begins a name's last two octets

using Octets = std::span<const std::uint8_t>;

// These functions step over the first octets. They return false if there are too few.
bool step(Octets &octets, std::size_t size)
{
    if (octets.size() < size)
        return false;
    octets = octets.subspan(size);
    return true;
}

bool step_over_name(Octets &octets)
{
    while (!octets.empty()) {
        const unsigned first = octets[0];
        if (first == 0 || first >= pointer)
            return step(octets, dns_name_end(first));
        if (!step(octets, 1 + first))
            return false;
    }
    return false;
}

std::optional<Nanoseconds> keepalive_among(Octets options)
{
    while (options.size() >= DNS_OPTION_HEAD) {
        const unsigned code = wire_get16(options.data());
        const std::size_t size = wire_get16(options.data() + 2);
        options = options.subspan(DNS_OPTION_HEAD);
        if (code == DNS_OPTION_KEEPALIVE && size == 2 && options.size() >= size)
            return wire_get16(options.data()) * unit;
        if (!step(options, size))
            break;
    }
    return std::nullopt;
}

} // namespace

std::optional<Nanoseconds> keepalive_of(std::span<const std::uint8_t> message)
{
    if (message.size() < DNS_HEADER_SIZE)
        return std::nullopt;
    const std::uint8_t *const counts = message.data() + 4;
    const unsigned questions = wire_get16(counts);
    const unsigned records =
        wire_get16(counts + 2) + wire_get16(counts + 4) + wire_get16(counts + 6);
    Octets rest = message.subspan(DNS_HEADER_SIZE);
    for (unsigned i = 0; i < questions; i++)
        if (!step_over_name(rest) || !step(rest, DNS_QUESTION_TAIL))
            return std::nullopt;
    for (unsigned i = 0; i < records; i++) {
        if (!step_over_name(rest) || rest.size() < DNS_RECORD_TAIL)
            return std::nullopt;
        const unsigned type = wire_get16(rest.data());
        const std::size_t size = wire_get16(rest.data() + DNS_RECORD_TAIL - 2);
        rest = rest.subspan(DNS_RECORD_TAIL);
        if (rest.size() < size)
            return std::nullopt;
        if (type == DNS_TYPE_OPT)
            return keepalive_among(rest.first(size));
        rest = rest.subspan(size);
    }
    return std::nullopt;
}

} // namespace dnsgauge
