// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the faults of the UDP sockets: spoils, doubles and holds answers, and counts them.
#pragma once

#include "base/event_loop.h"
#include "fakedns/due_queue.h"
#include "fakedns/fault_counters.h"
#include "fakedns/responder.h"

#include "wire/fault.h"

#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dnsgauge
{

class Misbehaviour : public EventHandler
{
public:
    // Both arguments must outlive the object. Throws SetupError.
    Misbehaviour(EventLoop &loop, const fault_plan &plan);

    // Does what answer_message() does, for a query from socket `fd` with the header `header`.
    // `buffer` holds at least FAULT_PAD_MAX octets. The caller sends nothing if the length is 0.
    // This object sends held answers itself, unless the socket is closed before they are due.
    [[nodiscard]] Answered answer(std::span<std::uint8_t> buffer, std::size_t query_length,
                                  const answer_zones &zones, int fd, const msghdr &header);

    // Sends the answers that are due.
    void on_ready(std::uint32_t events) override;

    [[nodiscard]] FaultCounters counters() const;

private:
    // A datagram with its target and its source.
    struct Datagram {
        int fd = -1;
        std::vector<std::uint8_t> message;
        std::vector<std::uint8_t> name;
        std::vector<std::uint8_t> control;
    };

    void send(const Datagram &datagram);
    void send_due();
    void arm();

    const fault_plan &plan_;
    UniqueFd timer_;
    DueQueue<Datagram> waiting_;
    std::uint64_t armed_for_ns_ = 0; // the time that the timer waits for; 0: none
    FaultCounters counters_;
};

} // namespace dnsgauge
