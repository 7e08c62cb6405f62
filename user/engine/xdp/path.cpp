// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/path.h"

namespace dnsgauge
{

namespace
{

Nanoseconds least_rtt(const Interface &interface)
{
    if (interface.ends_on_this_machine())
        return veth_rtt_least;
    if (interface.speed_mbps == 0)
        return {};
    constexpr std::uint64_t shortest_frame = 84; // octets, preamble and gap included
    constexpr std::uint64_t bits = 2 * shortest_frame * 8;
    return Nanoseconds(bits * 1000 / interface.speed_mbps);
}

} // namespace

RunPath path_over(const Interface &interface)
{
    return {.engine = "AF_XDP",
            .rtt_begins = "the query is handed to the kernel",
            .rtt_ends = "the XDP program sees the reply",
            .least_rtt = least_rtt(interface)};
}

} // namespace dnsgauge
