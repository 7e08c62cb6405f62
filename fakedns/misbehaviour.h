// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the faults of the UDP sockets: spoils, doubles and holds answers, and counts them.
#pragma once

#include "base/event_loop.h"
#include "base/held_datagrams.h"
#include "fakedns/fault_counters.h"
#include "fakedns/responder.h"

#include "wire/fault.h"

#include <sys/socket.h>

#include <cstdint>
#include <span>

namespace dnsgauge
{

class Misbehaviour
{
public:
    // Both arguments must outlive the object. Throws SetupError.
    Misbehaviour(EventLoop &loop, const fault_plan &plan);

    // Does what answer_message() does, for a query from socket `fd` with the header `header`.
    // `buffer` holds at least FAULT_PAD_MAX octets. The caller sends nothing if the length is 0.
    // This object sends held answers itself, unless the socket is closed before they are due.
    [[nodiscard]] Answered answer(std::span<std::uint8_t> buffer, std::size_t query_length,
                                  const answer_zones &zones, int fd, const msghdr &header);

    [[nodiscard]] FaultCounters counters() const;

private:
    const fault_plan &plan_;
    HeldDatagrams waiting_;
    FaultCounters counters_;
};

} // namespace dnsgauge
