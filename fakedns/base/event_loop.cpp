// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/event_loop.h"

#include "userland/setup_error.h"

#include <sys/epoll.h>

#include <cerrno>
#include <string>

namespace dnsgauge
{

EventLoop::EventLoop() : epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "cannot create an epoll set"))
{
}

void EventLoop::control(int operation, int fd, std::uint32_t events, EventHandler &handler)
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
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
        epoll_event event{};
        const int ready = epoll_wait(epoll_.get(), &event, 1, -1);
        if (ready < 0 && errno != EINTR)
            throw_errno("cannot wait for sockets");
        if (ready == 1)
            static_cast<EventHandler *>(event.data.ptr)->on_ready(event.events);
    }
}

} // namespace dnsgauge
