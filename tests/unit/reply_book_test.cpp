// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A reply's time and judgement say what becomes of its query.
#include "streams/reply_book.h"
#include "support/packet.h"
#include "support/program_configs.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::int64_t sent = 1'000'000'000;
constexpr std::int64_t timeout = 100'000'000;
constexpr std::uint32_t address = 0x0a000001;

enum class Reply { right, error, misfit };

struct Coming {
    Reply reply = Reply::right;
    std::int64_t after = 1000; // the query
};

Bytes message_of(Reply reply)
{
    DnsMessage message{
        .flags = 0x8400,
        .questions = {{.name = dns_name("010-000-000-001.dns64perf.test"), .type = DNS_TYPE_AAAA}}};
    if (reply == Reply::misfit)
        message.questions[0].type = DNS_TYPE_A;
    if (reply == Reply::error)
        message.flags |= DNS_RCODE_SERVFAIL;
    if (reply == Reply::right)
        message.answers = {
            {.type = DNS_TYPE_AAAA, .data = from_hex("20010db8 00640000 00000000 0a000001")}};
    return message;
}

struct Outcome {
    query_state state = QUERY_NONE;
    ReplyTally tally;
    std::uint64_t answered = 0;
};

Outcome after(const std::vector<Coming> &all)
{
    ReplyBook book({.rule = reply_clock_test_config(false).rule}, ExpectationKind::names,
                   Nanoseconds(timeout));
    OpenQuery query{.sent_ns = sent, .expectation = address, .key = 1};
    for (const Coming &each : all) {
        const Bytes message = message_of(each.reply);
        book.take(query, message, message.size(), sent + each.after);
    }
    return {.state = query.state, .tally = book.tally(), .answered = book.answered()};
}

} // namespace

TEST_CASE(
    "a right reply is valid up to the timeout, late up to twice the timeout, and then nothing")
{
    const Outcome valid = after({{.after = timeout}});
    CHECK(valid.state == QUERY_VALID);
    CHECK(valid.tally.queries.rtts.summary().min == timeout);
    CHECK(valid.tally.traits.aa == 1);
    const Outcome late = after({{.after = timeout + 1}});
    CHECK(late.state == QUERY_LATE);
    CHECK(late.tally.queries.late_rcodes[DNS_RCODE_NOERROR] == 1);
    CHECK(late.tally.queries.rtts.summary().count == 0);
    CHECK(after({{.after = 2 * timeout}}).state == QUERY_LATE);
    const Outcome lost = after({{.after = 2 * timeout + 1}});
    CHECK(lost.state == QUERY_OUTSTANDING);
    CHECK(lost.tally.strays.unexpected == 1);
    CHECK(lost.answered == 0);
}

TEST_CASE("a wrong reply counts in time alone")
{
    const Outcome wrong = after({{.reply = Reply::error}});
    CHECK(wrong.state == QUERY_RCODE);
    CHECK(wrong.tally.queries.rcodes[DNS_RCODE_SERVFAIL] == 1);
    const Outcome late = after({{.reply = Reply::error, .after = timeout + 1}});
    CHECK(late.state == QUERY_OUTSTANDING);
    CHECK(late.tally.strays.unexpected == 1);
}

TEST_CASE("an answer after a misfit decides its query, in time alone")
{
    const Outcome right = after({{.reply = Reply::misfit}, {.reply = Reply::right, .after = 2000}});
    CHECK(right.state == QUERY_VALID);
    CHECK(right.answered == 1);
    CHECK(right.tally.queries.states[QUERY_WRONG_QUESTION] == 0);
    CHECK(right.tally.queries.states[QUERY_VALID] == 1);
    CHECK(right.tally.strays.unexpected == 1);
    const Outcome late =
        after({{.reply = Reply::misfit}, {.reply = Reply::right, .after = timeout + 1}});
    CHECK(late.state == QUERY_WRONG_QUESTION);
    CHECK(late.tally.strays.unexpected == 1);
}

TEST_CASE("a reply to a decided query is a duplicate if it answers, or else unexpected")
{
    const Outcome outcome = after({{}, {}, {.reply = Reply::error}, {.reply = Reply::misfit}});
    CHECK(outcome.state == QUERY_VALID);
    CHECK(outcome.tally.strays.duplicate == 2);
    CHECK(outcome.tally.strays.unexpected == 1);
    CHECK(outcome.tally.traits.aa == 1);
}
