// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One thread, one epoll set, level-triggered.
#pragma once

#include "userland/unique_fd.h"

#include <cstdint>

namespace dnsgauge
{

// The owner of a descriptor in the loop. The loop keeps the address of the owner, which must not
// move, and must close or remove the descriptor before it is destroyed.
class EventHandler
{
public:
    EventHandler() = default;
    EventHandler(const EventHandler &) = delete;
    EventHandler &operator=(const EventHandler &) = delete;
    virtual ~EventHandler() = default;

    // `events` are EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP as epoll reports them.
    virtual void on_ready(std::uint32_t events) = 0;
};

class EventLoop
{
public:
    EventLoop(); // throws SetupError

    // Throws SetupError if the kernel is out of watches or memory.
    void add(int fd, std::uint32_t events, EventHandler &handler);
    void change(int fd, std::uint32_t events, EventHandler &handler);

    // Calls handlers until one of them has called stop(). Each gets one event at a time, so a
    // handler may destroy any handler, itself included.
    void run();
    void stop() { running_ = false; }

private:
    void control(int operation, int fd, std::uint32_t events, EventHandler &handler);

    UniqueFd epoll_;
    bool running_ = false;
};

} // namespace dnsgauge
