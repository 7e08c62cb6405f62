// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/responder_udp.h"

#include "base/event_loop.h"

namespace dnsgauge
{

namespace
{

constexpr std::size_t waiting_most = 65536; // as frames of FrameHolder

// Makes the answer to one query in its place. Returns its length; 0 if there is none.
std::size_t answer_in_place(const UdpQuery &query, int fd, const answer_zones &zones,
                            UdpService &service, std::uint64_t now)
{
    Answered answered;
    if (query.can_be_answered()) {
        if (!service.limiter.may_answer(query.from, now)) {
            service.counters.add(FAKEDNS_LIMITED);
            return 0;
        }
        answered =
            service.misbehaviour != nullptr
                ? service.misbehaviour->answer(query.room, query.length, zones, fd, query.header)
                : answer_message(query.room, query.length, zones);
    }
    service.counters.add(answered.kind, answered.type);
    return answered.length;
}

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
    waiting_.hold(fd, message, header, ktime_ns() + faulty.delay_ns);
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

std::unique_ptr<UdpListener> listen_udp(EventLoop &loop, const Endpoint &endpoint,
                                        const answer_zones &zones, UdpService &service)
{
    return std::make_unique<UdpListener>(
        loop, endpoint,
        [&zones, &service](const UdpQuery &query, int fd, std::uint64_t now) {
            return answer_in_place(query, fd, zones, service, now);
        },
        [&service](std::uint64_t now, std::size_t answers, std::size_t unsent) {
            service.counters.add(COUNTER_UNSENT, FAKEDNS_TYPE_OTHER, unsent);
            service.times.add(ktime_ns() - now, answers);
        });
}

} // namespace dnsgauge
