// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers over UDP what the kernel program left to the stack, or everything where it is not
// attached. Replies leave from the address that was asked.
#pragma once

#include "fakedns/counters.h"
#include "fakedns/event_loop.h"
#include "fakedns/sockets.h"

#include "wire/answer.h"

#include <memory>

namespace dnsgauge
{

class Misbehaviour;
class UdpBatch;

class UdpResponder : public EventHandler
{
public:
    // `loop`, `zone` and `counters` outlive the responder. Throws SetupError as open_udp_socket
    // does. Without the address family there is nothing to serve, and nothing is served. With
    // `misbehaviour`, which outlives it as well, answers are as wrong as that has them.
    UdpResponder(EventLoop &loop, const Endpoint &endpoint, const answer_zone &zone,
                 Counters &counters, Misbehaviour *misbehaviour);
    ~UdpResponder() override;

    // Answers at most one batch, so that other handlers get their turn.
    void on_ready(std::uint32_t events) override;

private:
    UniqueFd socket_;
    std::unique_ptr<UdpBatch> batch_;
    const answer_zone &zone_;
    Counters &counters_;
    Misbehaviour *misbehaviour_;
};

} // namespace dnsgauge
