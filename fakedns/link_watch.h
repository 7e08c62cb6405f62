// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls a function when something may have happened to the interfaces.
#pragma once

#include "base/event_loop.h"

#include <functional>

namespace dnsgauge
{

class LinkWatch : public EventHandler
{
public:
    // Calls `look` when interfaces of this network namespace have come, changed or gone, once for
    // several changes. Also calls `look` every second, because the kernel does not tell that a
    // program was detached. Throws SetupError.
    LinkWatch(EventLoop &loop, std::function<void()> look);

    void on_ready(std::uint32_t events) override;

private:
    std::function<void()> look_;
    UniqueFd messages_;
    UniqueFd clock_;
};

} // namespace dnsgauge
