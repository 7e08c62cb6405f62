// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/quic_responder.h"

#include "userland/setup_error.h"

#ifdef DNSGAUGE_QUIC
#include "base/quic_sockets.h"
#endif

namespace dnsgauge
{

#ifdef DNSGAUGE_QUIC

bool speaks_quic()
{
    return true;
}

std::unique_ptr<QuicResponder> make_quic_responder(EventLoop &loop, const TcpLimits &limits,
                                                   const TlsSetup &setup,
                                                   std::function<Misconduct()> next_fault)
{
    return std::make_unique<QuicSockets>(loop, limits, setup, std::move(next_fault));
}

#else

bool speaks_quic()
{
    return false;
}

std::unique_ptr<QuicResponder> make_quic_responder(EventLoop & /*loop*/,
                                                   const TcpLimits & /*limits*/,
                                                   const TlsSetup & /*setup*/,
                                                   std::function<Misconduct()> /*next_fault*/)
{
    throw SetupError("this fakedns was built without QUIC");
}

#endif

} // namespace dnsgauge
