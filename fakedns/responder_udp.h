// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers queries over UDP: the queries that the kernel program left to the stack, or all queries
// if no program is attached. Replies leave from the address that was asked.
#pragma once

#include "base/event_loop.h"
#include "base/sockets.h"
#include "fakedns/counters.h"
#include "fakedns/duration_histogram.h"
#include "fakedns/rate_limiter.h"

#include "wire/answer.h"

#include <memory>

namespace dnsgauge
{

class Misbehaviour;
class UdpBatch;

// What all UDP sockets of the server share.
struct UdpService {
    Counters counters;
    DurationHistogram times; // from receiving a query to sending its answer
    RateLimiter limiter;
    Misbehaviour *misbehaviour = nullptr; // makes answers wrong; null: answers are right
};

class UdpResponder : public EventHandler
{
public:
    // `loop`, `zones` and `service` outlive the responder. Throws SetupError as open_udp_socket()
    // does. Serves nothing if the machine lacks the address family.
    UdpResponder(EventLoop &loop, const Endpoint &endpoint, const answer_zones &zones,
                 UdpService &service);
    ~UdpResponder() override;

    // Answers at most one batch, so that other handlers get their turn.
    void on_ready(std::uint32_t events) override;

private:
    UniqueFd socket_;
    std::unique_ptr<UdpBatch> batch_;
    const answer_zones &zones_;
    UdpService &service_;
};

} // namespace dnsgauge
