// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/captured_message.h"

#include "wire/records.h"

namespace dnsgauge
{

namespace
{

// Looks for the OPT record, less strictly than a judge.
constexpr judge_rule any_records = [] {
    judge_rule rule{};
    rule.any_data = 1;
    rule.accepts = (1U << JUDGE_RULE_COUNT) - 1;
    return rule;
}();
constexpr question_key no_key{};
constexpr records_truth no_truth{.rule = &any_records, .key = &no_key, .wants = 0, .address = 0};

std::uint64_t records_of(wire_cursor message)
{
    const unsigned questions = wire_get16(message.pos + 4);
    wire_cursor name{.pos = message.pos + DNS_HEADER_SIZE, .end = message.end};
    __u64 starts = 0;
    if (questions == 0)
        return records_bare(message);
    const std::uint32_t length = questions == 1 ? dns_skip_name(&name, &starts) : 0;
    return length == 0 ? 0 : records_read(message, length, &no_truth);
}

} // namespace

std::uint32_t CapturedMessage::rcode() const
{
    return reply_rcode(wire_get16(message.data() + 2), records_of(reading_cursor(message)));
}

} // namespace dnsgauge
