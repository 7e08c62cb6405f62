// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls a function when something may have happened to the interfaces, and keeps which have gone.
#pragma once

#include "base/event_loop.h"

#include <cstddef>
#include <functional>
#include <set>
#include <string>

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

// The interfaces of a server that have gone.
class GoneInterfaces
{
public:
    // Notes whether the interface is there, which it returns. Says that it has gone, once for each
    // time.
    bool note(const std::string &name, bool is_there);
    [[nodiscard]] std::size_t count() const { return names_.size(); }

private:
    std::set<std::string> names_;
};

} // namespace dnsgauge
