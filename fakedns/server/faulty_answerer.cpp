// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/faulty_answerer.h"

#include "server/responder.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t held_most = 65536; // of one connection

} // namespace

std::size_t FaultyAnswerer::room(std::size_t query_length) const
{
    return std::max<std::size_t>(answer_room(query_length), FAULT_PAD_MAX) + options_.most();
}

std::size_t FaultyAnswerer::answer(std::span<std::uint8_t> buffer, std::size_t query_length)
{
    const StreamOptions::Wish wish = options_.wish_of(buffer.first(query_length));
    const FaultyAnswer faulty = faulty_answer_message(buffer, query_length, zones_, faults_.plan);
    const Answered &answered = faulty.answered;
    counters_.add(answered.kind, answered.type);
    if (!faulty.is_answer)
        return answered.length;
    faults_.counters.done[faulty.fault]++;
    if (answered.length == 0)
        return 0;
    const std::size_t length = options_.add(wish, buffer, answered.length);
    const std::span<const std::uint8_t> message = buffer.first(length);
    for (unsigned i = 1; i < faulty.copies; i++)
        hold(message, held_.arrived_ns);
    if (faulty.delay_ns == 0)
        return length;
    hold(message, held_.arrived_ns + faulty.delay_ns);
    return 0;
}

void FaultyAnswerer::hold(std::span<const std::uint8_t> answer, std::uint64_t due_ns)
{
    if (held_.waiting.size() < held_most)
        held_.waiting.push(due_ns, {held_.request, {answer.begin(), answer.end()}});
    else
        add_unsent(1);
}

void FaultyAnswerer::add_unsent(std::size_t answers)
{
    counters_.add(COUNTER_UNSENT, FAKEDNS_TYPE_OTHER, answers);
    faults_.counters.unsent += answers;
}

} // namespace dnsgauge
