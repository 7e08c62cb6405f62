// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/connection_sets.h"

#include "streams/stream_engine.h"

#ifdef DNSGAUGE_QUIC
#include "streams/quic_set.h"
#endif

namespace dnsgauge
{

#ifdef DNSGAUGE_QUIC

bool speaks_quic()
{
    return true;
}

std::unique_ptr<ConnectionSet> make_connection_set(const ConnectionPlan &plan,
                                                   ConnectionOwner &owner)
{
    if (plan.is_quic)
        return std::make_unique<QuicSet>(plan, owner);
    return std::make_unique<ConnectionSet>(plan, owner);
}

#else

bool speaks_quic()
{
    return false;
}

std::unique_ptr<ConnectionSet> make_connection_set(const ConnectionPlan &plan,
                                                   ConnectionOwner &owner)
{
    return std::make_unique<ConnectionSet>(plan, owner);
}

#endif

} // namespace dnsgauge
