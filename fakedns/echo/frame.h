// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Turns a whole frame into its own echo, for models that take frames.
#pragma once

#include "wire/echo_frame.h"

#include <cstdint>

namespace dnsgauge
{

enum class FrameEcho {
    not_ours, // the frame is no query to the echo's port
    ignored,  // the frame is a query that gets no echo
    made
};

// Turns `frame` into its echo. Sets frame.end to the echo's end.
[[nodiscard]] inline FrameEcho make_frame_echo(wire_cursor &frame, std::uint16_t port)
{
    packet packet{};
    if (echo_frame_is_query(frame, port, &packet) == 0)
        return FrameEcho::not_ours;
    const int padding = packet_padding(&packet, static_cast<__u32>(frame.end - frame.pos));
    frame.end -= padding;
    return padding < 0 || echo_frame(frame, &packet) == 0 ? FrameEcho::ignored : FrameEcho::made;
}

// Lets the kernel send the frames that are still on the ring at the end.
template <class Ring>
void send_rest(Ring &ring)
{
    constexpr int most_kicks = 1000;
    for (int i = 0; i < most_kicks && ring.wants_kick(); i++)
        ring.kick();
}

} // namespace dnsgauge
