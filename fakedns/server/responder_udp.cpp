// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/responder_udp.h"

#include "base/event_loop.h"

namespace dnsgauge
{

UdpService::UdpService(EventLoop &loop, const fault_plan *plan) : loop_(loop), plan_(plan)
{
    constexpr std::size_t waiting_most = 65536; // as frames of FrameHolder
    if (plan_ != nullptr)
        waiting_.emplace(loop_, waiting_most, Punctuality::exact);
}

std::unique_ptr<UdpListener> UdpService::listen(const Endpoint &endpoint, const answer_zones &zones)
{
    return std::make_unique<UdpListener>(
        loop_, endpoint,
        [this, &zones](const UdpQuery &query, int fd, std::uint64_t now) {
            return answer(query, zones, fd, now);
        },
        [this](std::uint64_t now, std::size_t answers, std::size_t unsent) {
            counters.add(COUNTER_UNSENT, FAKEDNS_TYPE_OTHER, unsent);
            times.add(ktime_ns() - now, answers);
        });
}

// Overwrites a query with its answer. Returns the answer's length; 0 if there is none, or if it
// waits.
std::size_t UdpService::answer(const UdpQuery &query, const answer_zones &zones, int fd,
                               std::uint64_t now)
{
    const bool can = query.can_be_answered();
    if (!can || !limiter.may_answer(query.from, now)) {
        counters.add(can ? unsigned{FAKEDNS_LIMITED} : unsigned{ANSWER_IGNORED});
        return 0;
    }
    const FaultyAnswer made =
        plan_ != nullptr
            ? faulty_answer_message(query.room, query.length, zones, *plan_)
            : FaultyAnswer{.answered = answer_message(query.room, query.length, zones)};
    counters.add(made.answered.kind, made.answered.type);
    if (made.is_answer)
        faults_.done[made.fault]++;
    const std::span<const std::uint8_t> message = query.room.first(made.answered.length);
    if (message.empty() || !fault_is_held(made.fault))
        return message.size();
    if (made.delay_ns != 0) {
        waiting_->hold(fd, message, query.header, ktime_ns() + made.delay_ns);
        return 0;
    }
    for (unsigned i = 1; i < made.copies; i++)
        waiting_->send_now(fd, message, query.header);
    return message.size();
}

FaultCounters UdpService::faults() const
{
    FaultCounters all = faults_;
    all.waiting = waiting_->waiting();
    all.unsent = waiting_->unsent();
    return all;
}

} // namespace dnsgauge
