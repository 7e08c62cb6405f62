// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/message_frames.h"

#include "userland/setup_error.h"

#include <string>

namespace dnsgauge
{

MessageFrames::MessageFrames(const FrameEnds &ends, std::size_t longest)
{
    if (longest > longest_message)
        throw SetupError("a query of " + std::to_string(longest) +
                         " octets is longer than the Tester sends, " +
                         std::to_string(longest_message) + ": leave it out");
    const HeaderOffsets at = put_headers(OctetWriter(headers_), ends, PACKET_UDP_SIZE);
    addresses_ = at.addresses;
    layout_.ip_offset = static_cast<std::uint32_t>(at.ip);
    layout_.udp_offset = static_cast<std::uint32_t>(at.udp);
    layout_.is_ipv6 = ends.target.is_ipv6 ? 1 : 0;
    length_ = static_cast<std::uint32_t>(headers_.size() + longest);
}

} // namespace dnsgauge
