// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Asks a thread to end, even while the thread waits in the kernel.
#pragma once

#include "system/unique_fd.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <chrono>

namespace dnsgauge
{

class StopEvent
{
public:
    // Throws SetupError.
    StopEvent() : event_(opened(eventfd(0, EFD_CLOEXEC), "cannot make an eventfd")) {}

    // Asks the thread to end. Any thread may call this.
    void ask()
    {
        is_asked_ = true;
        eventfd_write(event_.get(), 1);
    }
    [[nodiscard]] bool is_asked() const { return is_asked_.load(std::memory_order_relaxed); }

    // Waits until somebody asks, for at most `longest`.
    void wait(std::chrono::milliseconds longest) const
    {
        pollfd event{event_.get(), POLLIN, 0};
        poll(&event, 1, static_cast<int>(longest.count()));
    }

    // Returns a descriptor from which eight octets can be read once somebody has asked.
    [[nodiscard]] int fd() const { return event_.get(); }

private:
    UniqueFd event_; // blocks: io_uring would not wait for a nonblocking descriptor
    std::atomic<bool> is_asked_ = false;
};

} // namespace dnsgauge
