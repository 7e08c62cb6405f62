// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/frame_holder.h"

#include "base/interface.h"
#include "system/cpus.h"

#include "fault_abi.h"
#include "host/bpf_kernel.h"
#include "system/privileges.h"
#include "system/setup_error.h"

#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>

namespace dnsgauge
{

namespace
{

// The number of frames that are put on the rings before a call makes the kernel send them. In copy
// mode one call sends this number of frames.
constexpr int batch_size = 32;

// The last part of the waiting time, in which the thread waits busily, because the kernel wakes a
// sleeping thread late.
constexpr std::uint64_t wakeup_ns = 100'000;

} // namespace

FrameHolder::FrameHolder(const std::string &interface, std::optional<unsigned> cpu)
    : is_busy_(cpu.has_value())
{
    // The kernel's program sets when an answer is due, and the thread reads this process' clock.
    // Both clocks must agree.
    check_bpf_clock();
    const std::uint32_t count = receive_queues(interface, FAULT_QUEUES_MAX);
    const std::uint32_t frames = ReturnSocket::frames_to_hold(count);
    for (std::uint32_t queue = 0; queue < count; queue++)
        queues_.push_back(std::make_unique<ReturnSocket>(interface, queue, frames, CopyMode::copy));
    thread_ = std::jthread([this](const std::stop_token &token) { run(token); });
    if (cpu && !pin_thread(thread_.native_handle(), *cpu))
        throw SetupError("--fault-cpu {}: this process may not run on that CPU", *cpu);
}

std::vector<int> FrameHolder::sockets() const
{
    std::vector<int> sockets;
    for (const auto &queue : queues_)
        sockets.push_back(queue->fd());
    return sockets;
}

std::uint64_t FrameHolder::unsent() const
{
    std::uint64_t sum = 0;
    for (const auto &queue : queues_)
        sum += queue->unsent();
    return sum;
}

void FrameHolder::run(const std::stop_token &token)
{
    const std::stop_callback at_the_end(token, [this] { stop_.ask(); });
    // The kernel may lengthen a sleep by this slack, 1 ns.
    prctl(PR_SET_TIMERSLACK, 1);
    // Each thread has its own capabilities, so this one must drop its own.
    drop_privileges();
    while (!token.stop_requested()) {
        take();
        send_due();
        for (const auto &queue : queues_) {
            queue->kick();
            queue->reap();
        }
        waiting_ = held_.size();
        if (!is_busy_)
            sleep_until_needed();
    }
}

void FrameHolder::take()
{
    for (std::uint32_t i = 0; i < queues_.size(); i++) {
        const auto hold = [this, i](std::uint64_t address, std::uint32_t length) {
            fault_held held{};
            std::memcpy(&held, queues_[i]->bytes(address) - sizeof(held), sizeof(held));
            held_.push(held.due_ns, {i, length, address, held.copies});
        };
        while (queues_[i]->take(hold) != 0) {
        }
    }
}

void FrameHolder::send_due()
{
    const std::uint64_t now = ktime_ns();
    for (int i = 0; i < batch_size && !held_.empty() && held_.due_ns() <= now; i++) {
        const Held &first = held_.top();
        if (!queues_[first.queue]->send(first.address, first.length, first.copies))
            return;
        held_.pop();
    }
}

void FrameHolder::sleep_until_needed()
{
    if (std::ranges::any_of(queues_, [](const auto &queue) { return queue->is_cut_off(); }))
        return stop_.wait(ReturnSocket::cut_off_pause);
    for (const auto &queue : queues_)
        if (queue->wants_kick())
            return;
    timespec patience{};
    if (!held_.empty()) {
        const std::uint64_t now = ktime_ns();
        if (held_.due_ns() < now + 2 * wakeup_ns)
            return;
        const std::uint64_t ns = held_.due_ns() - now - wakeup_ns;
        patience.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
        patience.tv_nsec = static_cast<long>(ns % 1'000'000'000);
    }
    std::vector<pollfd> events{{stop_.fd(), POLLIN, 0}};
    for (const auto &queue : queues_)
        events.push_back({queue->fd(), POLLIN, 0});
    ppoll(events.data(), events.size(), held_.empty() ? nullptr : &patience, nullptr);
}

} // namespace dnsgauge
