// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tells when interfaces have changed.
#pragma once

#include "fakedns/event_loop.h"

#include <functional>

namespace dnsgauge
{

class LinkWatch : public EventHandler
{
public:
    // Calls `look` when interfaces of this network namespace have come, changed or gone: once for
    // several changes, and now and then without one. Throws SetupError.
    LinkWatch(EventLoop &loop, std::function<void()> look);

    void on_ready(std::uint32_t events) override;

private:
    std::function<void()> look_;
    UniqueFd messages_;
};

} // namespace dnsgauge
