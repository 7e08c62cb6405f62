// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers queries over UDP that the kernel program left to the stack, or all queries if no program
// is attached. A reply leaves from the address that was asked.
#pragma once

#include "base/rate_limiter.h"
#include "base/udp_batch.h"
#include "server/counters.h"
#include "server/faults.h"
#include "server/responder.h"

#include "wire/answer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace dnsgauge
{

// What all UDP sockets of the server share.
class UdpService
{
public:
    // If there is a plan, spoils, doubles and holds answers as it says. `loop` and the plan outlive
    // the object. Throws SetupError.
    UdpService(EventLoop &loop, const fault_plan *plan);

    // Returns a socket that answers from `zones`, which must outlive it. Throws as UdpListener's
    // constructor does. Held answers leave later, unless the socket is closed before.
    [[nodiscard]] std::unique_ptr<UdpListener> listen(const Endpoint &endpoint,
                                                      const answer_zones &zones);

    // Returns what the faults did.
    [[nodiscard]] FaultCounters faults() const;

    Counters counters;
    DurationHistogram times; // from receiving a query to sending its answer
    RateLimiter limiter;

private:
    std::size_t answer(const UdpQuery &query, const answer_zones &zones, int fd, std::uint64_t now);

    EventLoop &loop_;
    const fault_plan *plan_;
    std::optional<HeldDatagrams> waiting_;
    FaultCounters faults_;
};

} // namespace dnsgauge
