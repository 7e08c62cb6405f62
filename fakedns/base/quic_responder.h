// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers over QUIC (RFC 9250).
#pragma once

#include "base/responder_tcp.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace dnsgauge
{

// Returns whether the program was built with QUIC.
[[nodiscard]] bool speaks_quic();

// All sockets and connections over QUIC. A connection takes no descriptor. The limits of TcpLimits
// hold for these connections together. A connection is idle when nothing comes on it.
class QuicResponder
{
public:
    QuicResponder() = default;
    QuicResponder(const QuicResponder &) = delete;
    QuicResponder &operator=(const QuicResponder &) = delete;
    virtual ~QuicResponder() = default;

    // Also answers at this endpoint. Serves nothing if the machine lacks the address family. Throws
    // SetupError.
    virtual void listen(const Endpoint &endpoint, TcpResponder::AnswererOf answerer_of) = 0;

    // Does what TcpResponder::be_exact() does.
    virtual void be_exact() = 0;

    [[nodiscard]] virtual std::size_t waiting() const = 0;
    [[nodiscard]] virtual const TlsCounts &counts() const = 0;
};

// Returns a responder whose connections have the faults that `next_fault` returns. `loop` outlives
// the responder. Throws SetupError, also if the program was built without QUIC.
[[nodiscard]] std::unique_ptr<QuicResponder>
make_quic_responder(EventLoop &loop, const TcpLimits &limits, const TlsSetup &setup,
                    std::function<Misconduct()> next_fault);

} // namespace dnsgauge
