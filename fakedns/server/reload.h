// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Does work in a thread beside the event loop, and gives the result to the loop. So queries need
// not wait for the verifier, which takes a second for a program.
#pragma once

#include "base/event_loop.h"

#include <functional>
#include <future>

namespace dnsgauge
{

class Reload : public EventHandler
{
public:
    // The result of the work, a function to be called in the loop's thread.
    using Result = std::function<void()>;

    // Calls `prepare` in its own thread, and the result of `prepare` in the loop's thread. If
    // either throws, calls `refused` with the reason, in the loop's thread. `refused` must not
    // throw. Throws SetupError.
    Reload(EventLoop &loop, std::function<Result()> prepare,
           std::function<void(const char *why)> refused);

    // Starts the work. If work is under way, starts it once more afterwards.
    void begin();

    void on_ready(std::uint32_t events) override;

private:
    std::function<Result()> prepare_;
    std::function<void(const char *)> refused_;
    UniqueFd done_;
    std::future<Result> under_way_; // declared after the members that its thread uses
    bool again_ = false;
};

} // namespace dnsgauge
