// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the UDP datagram or the TCP segment in a captured frame.
//
// bpf/wire/packet.h reads what the Tester itself sends and receives; a capture has more: other link
// types, several VLAN tags, IPv4 options, IPv6 extension headers, frames that were cut off.
#pragma once

#include "capture/captured_message.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

// Returns whether read_frame() knows libpcap's number (DLT_...) of a link type.
[[nodiscard]] bool is_link_known(int link);

enum class FrameKind {
    udp,
    tcp,
    fragment, // of an IP packet
    cut,      // the capture holds less of the frame than its headers promise
    other,    // neither UDP nor TCP over IP, or headers that contradict each other
};

struct CapturedFrame {
    FrameKind kind = FrameKind::other;
    Endpoint source; // this and all below: of UDP and TCP
    Endpoint target;
    std::span<const std::uint8_t> payload;
    std::uint32_t sequence = 0; // this and all below: of TCP
    bool is_first = false;      // SYN
    bool is_last = false;       // FIN or RST
};

// Reads the frame, of which `octets` were captured and `length` were on the network. `link`
// is known.
[[nodiscard]] CapturedFrame read_frame(int link, std::span<const std::uint8_t> octets,
                                       std::size_t length);

} // namespace dnsgauge
