// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/responder.h"

#include <algorithm>
#include <cassert>

namespace dnsgauge
{

namespace
{

constexpr std::size_t held_most = 65536; // of one connection

} // namespace

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

FaultyAnswer faulty_answer_message(std::span<std::uint8_t> buffer, std::size_t query_length,
                                   const answer_zones &zones, const fault_plan &plan)
{
    assert(buffer.size() >= FAULT_PAD_MAX);
    fault fault{};
    fault_look({buffer.data(), buffer.data() + query_length}, &plan, &fault);
    FaultyAnswer result{.answered = answer_message(buffer, query_length, zones)};
    const std::size_t size = result.answered.length;
    if (size == 0)
        return result;

    fault_settle({buffer.data(), buffer.data() + size}, static_cast<__u32>(size), &plan, &fault);
    result.is_answer = true;
    result.fault = fault.kind;
    result.answered.length = 0;
    if (fault.kind == FAULT_LOSS)
        return result;
    const std::size_t room = std::max(fault.size, fault.new_size);
    std::ranges::fill(buffer.subspan(size, room - size), std::uint8_t{0});
    if (fault_changes(&fault) && !fault_write({buffer.data(), buffer.data() + room}, &fault))
        return result;
    result.answered.length = fault.new_size;
    result.delay_ns = fault_delay_ns(fault.number, fault.kind, &plan);
    result.copies = fault_copies(fault.kind);
    return result;
}

StreamOptions::Wish StreamOptions::wish_of(std::span<const std::uint8_t> query) const
{
    Wish wish;
    dns_query read{};
    // The reader changes nothing; its functions, which the kernel's programs use, have no const
    // pointers.
    auto *const begin = const_cast<std::uint8_t *>(query.data());
    if ((keepalive == 0 && !pads) ||
        dns_read_query({begin, begin + query.size()}, 0, &read) != DNS_QUERY_GOOD ||
        read.has_edns == 0)
        return wish;
    std::span<const std::uint8_t> options = query.subspan(
        DNS_HEADER_SIZE + std::size_t{read.name_length} + DNS_QUESTION_TAIL + DNS_OPT_SIZE);
    while (options.size() >= DNS_OPTION_HEAD) {
        const unsigned code = wire_get16(options.data());
        const std::size_t size = DNS_OPTION_HEAD + wire_get16(options.data() + 2);
        wish.keepalive = wish.keepalive || (code == DNS_OPTION_KEEPALIVE && keepalive != 0);
        wish.padding = wish.padding || (code == DNS_OPTION_PADDING && pads);
        options = options.subspan(std::min(size, options.size()));
    }
    return wish;
}

std::size_t StreamOptions::add(const Wish &wish, std::span<std::uint8_t> buffer,
                               std::size_t length) const
{
    if ((!wish.keepalive && !wish.padding) || length < DNS_HEADER_SIZE + DNS_OPT_SIZE)
        return length;
    std::uint8_t *const opt = &buffer[length - DNS_OPT_SIZE];
    if (opt[0] != 0 || wire_get16(opt + 1) != DNS_TYPE_OPT || wire_get16(opt + 9) != 0)
        return length;
    std::size_t end = length;
    const auto put = [&](std::size_t number) {
        wire_put16(&buffer[end], static_cast<std::uint16_t>(number));
        end += 2;
    };
    if (wish.keepalive) {
        put(DNS_OPTION_KEEPALIVE);
        put(2);
        put(keepalive);
    }
    if (wish.padding) {
        const std::size_t over = (end + DNS_OPTION_HEAD) % block;
        const std::size_t padding = over == 0 ? 0 : block - over;
        put(DNS_OPTION_PADDING);
        put(padding);
        std::ranges::fill(buffer.subspan(end, padding), std::uint8_t{0});
        end += padding;
    }
    wire_put16(opt + 9, static_cast<std::uint16_t>(end - length));
    return end;
}

std::size_t ZoneAnswerer::room(std::size_t query_length) const
{
    return std::max<std::size_t>(answer_room(query_length),
                                 faults_ != nullptr ? FAULT_PAD_MAX : 0) +
           options_.most();
}

std::size_t ZoneAnswerer::answer(std::span<std::uint8_t> buffer, std::size_t query_length)
{
    const StreamOptions::Wish wish = options_.wish_of(buffer.first(query_length));
    const FaultyAnswer made =
        faults_ != nullptr ? faulty_answer_message(buffer, query_length, zones_, faults_->plan)
                           : FaultyAnswer{.answered = answer_message(buffer, query_length, zones_)};
    counters_.add(made.answered.kind, made.answered.type);
    if (made.is_answer)
        faults_->counters.done[made.fault]++;
    const std::size_t length = options_.add(wish, buffer, made.answered.length);
    const std::span<const std::uint8_t> message = buffer.first(length);
    for (unsigned i = 1; i < made.copies; i++)
        hold(message, held_.arrived_ns);
    if (made.delay_ns == 0)
        return length;
    hold(message, held_.arrived_ns + made.delay_ns);
    return 0;
}

void ZoneAnswerer::hold(std::span<const std::uint8_t> answer, std::uint64_t due_ns)
{
    if (held_.waiting.size() < held_most)
        held_.waiting.push(due_ns, {held_.request, {answer.begin(), answer.end()}});
    else
        add_unsent(1);
}

void ZoneAnswerer::add_unsent(std::size_t answers)
{
    counters_.add(COUNTER_UNSENT, FAKEDNS_TYPE_OTHER, answers);
    if (faults_ != nullptr)
        faults_->counters.unsent += answers;
}

} // namespace dnsgauge
