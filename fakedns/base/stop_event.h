// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Asks a thread to end, even while the thread waits in the kernel.
#pragma once

#include "userland/unique_fd.h"

#include <atomic>
#include <chrono>

namespace dnsgauge
{

class StopEvent
{
public:
    // Throws SetupError.
    StopEvent();

    // Asks. Any thread may call this.
    void ask();
    [[nodiscard]] bool is_asked() const { return is_asked_.load(std::memory_order_relaxed); }

    // Waits until somebody asks, for at most `longest`.
    void wait(std::chrono::milliseconds longest) const;

    // Returns a descriptor from which eight octets can be read once somebody has asked.
    [[nodiscard]] int fd() const { return event_.get(); }

private:
    UniqueFd event_;
    std::atomic<bool> is_asked_ = false;
};

} // namespace dnsgauge
