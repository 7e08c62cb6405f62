// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/misbehaviour.h"

#include "fakedns/faulty_responder.h"

#include "common/setup_error.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

namespace
{

// The timer fires this much too early. The thread waits busily for the rest of the time.
constexpr std::uint64_t wakeup_ns = 60'000;

constexpr int batch_size = 64; // answers sent before the sockets get their turn

std::vector<std::uint8_t> octets(const void *data, std::size_t size)
{
    const auto *begin = static_cast<const std::uint8_t *>(data);
    return {begin, begin + size};
}

} // namespace

Misbehaviour::Misbehaviour(EventLoop &loop, const fault_plan &plan)
    : plan_(plan), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
    if (!timer_)
        throw SetupError(std::string("cannot make a timer: ") + std::strerror(errno));
    loop.add(timer_.get(), EPOLLIN, *this);
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

    Datagram datagram{.fd = fd,
                      .message = octets(buffer.data(), answered.length),
                      .name = octets(header.msg_name, header.msg_namelen),
                      .control = octets(header.msg_control, header.msg_controllen)};
    if (faulty.delay_ns == 0) {
        for (unsigned i = 1; i < faulty.copies; i++)
            send(datagram);
        return answered;
    }
    waiting_.push(monotonic_ns() + faulty.delay_ns, std::move(datagram));
    arm();
    answered.length = 0;
    return answered;
}

void Misbehaviour::send(const Datagram &datagram)
{
    // sendmsg() changes nothing that these pointers point to.
    iovec vector{const_cast<std::uint8_t *>(datagram.message.data()), datagram.message.size()};
    msghdr header{};
    header.msg_name = const_cast<std::uint8_t *>(datagram.name.data());
    header.msg_namelen = static_cast<socklen_t>(datagram.name.size());
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = const_cast<std::uint8_t *>(datagram.control.data());
    header.msg_controllen = datagram.control.size();
    if (sendmsg(datagram.fd, &header, MSG_DONTWAIT) < 0)
        counters_.unsent++;
}

void Misbehaviour::on_ready(std::uint32_t)
{
    std::uint64_t expirations = 0;
    // The number of expirations does not matter. It cannot be read after a wakeup for another
    // reason.
    if (read(timer_.get(), &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
        throw SetupError(std::string("cannot read a timer: ") + std::strerror(errno));
    armed_for_ns_ = 0;
    send_due();
    arm();
}

void Misbehaviour::send_due()
{
    // Waits busily for one answer only: if another answer is always nearly due, the sockets would
    // otherwise never get their turn.
    if (!waiting_.empty() && waiting_.due_ns() <= monotonic_ns() + wakeup_ns)
        while (waiting_.due_ns() > monotonic_ns()) {
        }
    for (int i = 0; i < batch_size && !waiting_.empty() && waiting_.due_ns() <= monotonic_ns();
         i++) {
        send(waiting_.top());
        waiting_.pop();
    }
}

void Misbehaviour::arm()
{
    if (waiting_.empty() || waiting_.due_ns() == armed_for_ns_)
        return;
    armed_for_ns_ = waiting_.due_ns();
    const std::uint64_t at = waiting_.due_ns() > wakeup_ns ? waiting_.due_ns() - wakeup_ns : 1;
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
    when.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

FaultCounters Misbehaviour::counters() const
{
    FaultCounters counters = counters_;
    counters.waiting = waiting_.size();
    return counters;
}

} // namespace dnsgauge
