// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/event_loop.h"

#include "userland/setup_error.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace dnsgauge
{

namespace
{

// A timer wakes a thread late by this much at most, if the thread's CPU is free.
constexpr std::uint64_t early_ns = 60'000;

constexpr std::uint64_t late_ns = 100'000;

} // namespace

EventHandler::~EventHandler()
{
    if (watched_by_ != nullptr)
        watched_by_->forget(*this);
}

EventLoop::EventLoop() : epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "cannot create an epoll set"))
{
}

void EventLoop::control(int operation, int fd, std::uint32_t events, EventHandler &handler)
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
    handler.watched_by_ = this;
    if (epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
        throw_errno("cannot watch a socket");
}

void EventLoop::add(int fd, std::uint32_t events, EventHandler &handler)
{
    control(EPOLL_CTL_ADD, fd, events, handler);
}

void EventLoop::change(int fd, std::uint32_t events, EventHandler &handler)
{
    control(EPOLL_CTL_MOD, fd, events, handler);
}

void EventLoop::run()
{
    running_ = true;
    while (running_) {
        const int ready =
            epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), -1);
        if (ready < 0 && errno != EINTR)
            throw_errno("cannot wait for sockets");
        taken_ = std::span(events_).first(static_cast<std::size_t>(std::max(ready, 0)));
        while (running_ && !taken_.empty()) {
            const epoll_event event = taken_.front();
            taken_ = taken_.subspan(1);
            if (event.data.ptr != nullptr)
                static_cast<EventHandler *>(event.data.ptr)->on_ready(event.events);
        }
        taken_ = {};
    }
}

void EventLoop::forget(const EventHandler &handler)
{
    for (epoll_event &event : taken_)
        if (event.data.ptr == &handler)
            event.data.ptr = nullptr;
}

std::uint64_t wakeup_for(std::uint64_t due_ns, Punctuality punctuality)
{
    if (punctuality == Punctuality::together)
        return due_ns + late_ns;
    return due_ns > early_ns ? due_ns - early_ns : 0;
}

DueTimer::DueTimer(EventLoop &loop, std::function<void()> on_due)
    : on_due_(std::move(on_due)),
      timer_(opened(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
                    "cannot make a timer"))
{
    loop.add(timer_.get(), EPOLLIN, *this);
}

void DueTimer::set(std::uint64_t at_ns)
{
    at_ns = std::max<std::uint64_t>(at_ns, 1); // 0 stops a timer
    if (at_ns == set_for_ns_)
        return;
    set_for_ns_ = at_ns;
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(at_ns / 1'000'000'000);
    when.it_value.tv_nsec = static_cast<long>(at_ns % 1'000'000'000);
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void DueTimer::on_ready(std::uint32_t)
{
    std::uint64_t expirations = 0;
    // The number of expirations does not matter. It cannot be read after a wakeup for another
    // reason.
    if (read(timer_.get(), &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
        throw_errno("cannot read a timer");
    set_for_ns_ = 0;
    on_due_();
}

} // namespace dnsgauge
