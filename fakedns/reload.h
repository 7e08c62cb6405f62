// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Work beside the event loop, whose result the loop takes over: the verifier looks at a program for
// a second, and queries do not wait for that.
#pragma once

#include "base/event_loop.h"

#include <functional>
#include <future>

namespace dnsgauge
{

class Reload : public EventHandler
{
public:
    // What the work comes to: called in the loop's thread.
    using Result = std::function<void()>;

    // `prepare` is called in a thread of its own. Its result, and what either throws, is dealt with
    // in the loop's: `refused`, which throws nothing, is told why. Throws SetupError.
    Reload(EventLoop &loop, std::function<Result()> prepare,
           std::function<void(const char *why)> refused);

    // Once more, afterwards, where it is under way.
    void begin();

    void on_ready(std::uint32_t events) override;

private:
    std::function<Result()> prepare_;
    std::function<void(const char *)> refused_;
    UniqueFd done_;
    std::future<Result> under_way_; // behind what its thread uses
    bool again_ = false;
};

} // namespace dnsgauge
