// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The faults of the UDP sockets: counted, doubled, and held until they are due.
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
    // Both outlive it. Throws SetupError.
    Misbehaviour(EventLoop &loop, const fault_plan &plan);

    // As answer_message(), for a query that came from socket `fd` with what `header` says of it;
    // `buffer` holds at least FAULT_PAD_MAX octets. Length 0: the caller sends nothing; what is to
    // be sent later this does itself, before the socket is closed, or never.
    [[nodiscard]] Answered answer(std::span<std::uint8_t> buffer, std::size_t query_length,
                                  const answer_zones &zones, int fd, const msghdr &header);

    // Those that are due are sent.
    void on_ready(std::uint32_t events) override;

    [[nodiscard]] FaultCounters counters() const;

private:
    // A datagram with its target, and where it comes from.
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
    std::uint64_t armed_for_ns_ = 0; // what the timer waits for; 0: nothing
    FaultCounters counters_;
};

} // namespace dnsgauge
