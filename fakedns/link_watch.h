// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tells that something has become of the interfaces.
#pragma once

#include "fakedns/event_loop.h"

#include <functional>

namespace dnsgauge
{

class LinkWatch : public EventHandler
{
public:
    // Calls `look` when interfaces of this network namespace have come, changed or gone: once for
    // several, and now and then for nothing. Throws SetupError.
    LinkWatch(EventLoop &loop, std::function<void()> look);

    void on_ready(std::uint32_t events) override;

private:
    std::function<void()> look_;
    UniqueFd messages_;
};

} // namespace dnsgauge
