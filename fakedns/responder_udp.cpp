// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/responder_udp.h"

#include "base/sockets.h"
#include "base/udp_batch.h"
#include "fakedns/misbehaviour.h"
#include "fakedns/responder.h"

#include <sys/epoll.h>

#include <chrono>

namespace dnsgauge
{

namespace
{

std::uint64_t now_ns()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}

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

UdpResponder::UdpResponder(EventLoop &loop, const Endpoint &endpoint, const answer_zones &zones,
                           UdpService &service)
    : socket_(open_udp_socket(endpoint)), batch_(std::make_unique<UdpBatch>()), zones_(zones),
      service_(service)
{
    if (socket_)
        loop.add(socket_.get(), EPOLLIN, *this);
}

UdpResponder::~UdpResponder() = default;

void UdpResponder::on_ready(std::uint32_t)
{
    const std::size_t received = batch_->receive(socket_.get());
    const std::uint64_t begin = now_ns();
    const std::size_t answers = batch_->answer(received, [this, begin](const UdpQuery &query) {
        return answer_in_place(query, socket_.get(), zones_, service_, begin);
    });
    service_.counters.add(COUNTER_UNSENT, FAKEDNS_TYPE_OTHER, batch_->send(socket_.get(), answers));
    service_.times.add(now_ns() - begin, answers);
}

} // namespace dnsgauge
