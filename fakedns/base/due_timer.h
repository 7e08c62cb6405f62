// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A timer of an event loop, for answers that wait until they are due.
#pragma once

#include "base/due_queue.h"
#include "base/event_loop.h"

#include <cstdint>
#include <functional>

namespace dnsgauge
{

// When answers that wait leave.
enum class Punctuality : std::uint8_t {
    exact, // when they are due: the thread wakes early, and waits busily for the rest of the time
    together, // up to 0.1 ms later, with answers that became due meanwhile
};

// Returns when to wake for what is due at `due_ns`.
[[nodiscard]] std::uint64_t wakeup_for(std::uint64_t due_ns, Punctuality punctuality);

class DueTimer : public EventHandler
{
public:
    // Calls `on_due` when the time that was set has come. Throws SetupError.
    DueTimer(EventLoop &loop, std::function<void()> on_due);

    // Sets the time (monotonic_ns()), in place of one that was set before.
    void set(std::uint64_t at_ns);

    void on_ready(std::uint32_t events) override;

private:
    std::function<void()> on_due_;
    UniqueFd timer_;
    std::uint64_t set_for_ns_ = 0; // 0: none
};

} // namespace dnsgauge
