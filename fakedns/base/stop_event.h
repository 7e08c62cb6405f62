// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tells a thread to end that may be waiting in the kernel.
#pragma once

#include "common/unique_fd.h"

#include <atomic>
#include <chrono>

namespace dnsgauge
{

class StopEvent
{
public:
    // Throws SetupError.
    StopEvent();

    // By any thread.
    void ask();
    [[nodiscard]] bool is_asked() const { return is_asked_.load(std::memory_order_relaxed); }

    // Until it is asked, at most so long.
    void wait(std::chrono::milliseconds longest) const;

    // Readable once it is asked: eight octets.
    [[nodiscard]] int fd() const { return event_.get(); }

private:
    UniqueFd event_;
    std::atomic<bool> is_asked_ = false;
};

} // namespace dnsgauge
