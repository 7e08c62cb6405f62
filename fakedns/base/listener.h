// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A listening socket of an event loop.
#pragma once

#include "base/event_loop.h"

#include "userland/unique_fd.h"

#include <sys/socket.h>

#include <cstdint>
#include <functional>

namespace dnsgauge
{

struct AcceptedConnection {
    UniqueFd socket; // does not block
    sockaddr_storage from{};
    socklen_t from_size = sizeof(from);
};

// If the system has no descriptor or memory for a connection, the socket stays ready, and the loop
// would call again and again. So the listener asks for room. If there is none, it rests for a
// while.
class Listener : public EventHandler
{
public:
    // Calls `serve` for each connection. `make_room` closes a connection, and returns whether there
    // was one to close. Throws SetupError.
    Listener(EventLoop &loop, UniqueFd socket, std::function<void(AcceptedConnection)> serve,
             std::function<bool()> make_room);

    void on_ready(std::uint32_t events) override;

private:
    EventLoop &loop_;
    UniqueFd socket_;
    std::function<void(AcceptedConnection)> serve_;
    std::function<bool()> make_room_;
    DueTimer rest_;
};

} // namespace dnsgauge
