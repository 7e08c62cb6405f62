// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The signals of a server, as events of its loop.
#pragma once

#include "base/event_loop.h"

#include <csignal>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>

namespace dnsgauge
{

// Returns the set of these signals.
[[nodiscard]] sigset_t signal_set(std::initializer_list<int> signals);

// Blocks the signals that a server acts upon, in this thread and in threads that it starts later.
void block_server_signals();

// Handles SIGTERM, SIGINT, SIGUSR1 and SIGHUP in the loop, so that a handler may do what a signal's
// context forbids. Signals without an action end the loop.
class SignalHandler : public EventHandler
{
public:
    using Actions = std::map<std::uint32_t, std::function<void()>>;

    // Throws SetupError.
    SignalHandler(EventLoop &loop, Actions actions);

    void on_ready(std::uint32_t events) override;

private:
    EventLoop &loop_;
    Actions actions_;
    UniqueFd fd_;
};

} // namespace dnsgauge
