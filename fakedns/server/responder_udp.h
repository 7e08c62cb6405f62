// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers queries over UDP: the queries that the kernel program left to the stack, or all queries
// if no program is attached. Replies leave from the address that was asked.
#pragma once

#include "base/rate_limiter.h"
#include "base/udp_batch.h"
#include "server/counters.h"
#include "server/faults.h"
#include "server/responder.h"

#include "wire/answer.h"

#include <memory>

namespace dnsgauge
{

// Makes the faults of the UDP sockets: spoils, doubles and holds answers, and counts them.
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

// What all UDP sockets of the server share.
struct UdpService {
    Counters counters;
    DurationHistogram times; // from receiving a query to sending its answer
    RateLimiter limiter;
    Misbehaviour *misbehaviour = nullptr; // makes answers wrong; null: answers are right
};

// Returns a socket that answers from `zones`. All arguments but `endpoint` outlive the listener.
// Throws as UdpListener's constructor does.
[[nodiscard]] std::unique_ptr<UdpListener> listen_udp(EventLoop &loop, const Endpoint &endpoint,
                                                      const answer_zones &zones,
                                                      UdpService &service);

} // namespace dnsgauge
