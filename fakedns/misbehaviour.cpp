// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/misbehaviour.h"

#include "fakedns/faulty_responder.h"

#include "base/due_queue.h"

namespace dnsgauge
{

namespace
{

constexpr std::size_t waiting_most = 65536; // as frames of FrameHolder

} // namespace

Misbehaviour::Misbehaviour(EventLoop &loop, const fault_plan &plan)
    : plan_(plan), waiting_(loop, waiting_most, Punctuality::exact)
{
}

Answered Misbehaviour::answer(std::span<std::uint8_t> buffer, std::size_t query_length,
                              const answer_zones &zones, int fd, const msghdr &header)
{
    const FaultyAnswer faulty = faulty_answer_message(buffer, query_length, zones, plan_);
    Answered answered = faulty.answered;
    if (!faulty.is_answer)
        return answered;
    counters_.done[faulty.fault]++;
    if (answered.length == 0 || !fault_is_held(faulty.fault))
        return answered;

    const std::span<const std::uint8_t> message = buffer.first(answered.length);
    if (faulty.delay_ns == 0) {
        for (unsigned i = 1; i < faulty.copies; i++)
            waiting_.send_now(fd, message, header);
        return answered;
    }
    waiting_.hold(fd, message, header, monotonic_ns() + faulty.delay_ns);
    answered.length = 0;
    return answered;
}

FaultCounters Misbehaviour::counters() const
{
    FaultCounters counters = counters_;
    counters.waiting = waiting_.waiting();
    counters.unsent = waiting_.unsent();
    return counters;
}

} // namespace dnsgauge
