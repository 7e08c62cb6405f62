// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/event_loop.h"

#include "userland/setup_error.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC))
{
    if (!epoll_)
        throw SetupError(std::string("cannot create an epoll set: ") + std::strerror(errno));
}

void EventLoop::control(int operation, int fd, std::uint32_t events, EventHandler &handler)
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
    if (epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
        throw SetupError(std::string("cannot watch a socket: ") + std::strerror(errno));
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
            throw SetupError(std::string("cannot wait for sockets: ") + std::strerror(errno));
        if (ready == 1)
            static_cast<EventHandler *>(event.data.ptr)->on_ready(event.events);
    }
}

} // namespace dnsgauge
