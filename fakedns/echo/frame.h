// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A whole frame as its own echo, for models that take frames.
#pragma once

#include "wire/echo_frame.h"

#include <cstdint>

namespace dnsgauge
{

enum class FrameEcho {
    not_ours, // no query to our port
    ignored,  // one that is not echoed
    made
};

// Turns `frame` into its echo, and ends it where that ends.
[[nodiscard]] inline FrameEcho make_frame_echo(wire_cursor &frame, std::uint16_t port)
{
    packet packet{};
    if (echo_frame_is_query(frame, port, &packet) == 0)
        return FrameEcho::not_ours;
    const int padding = packet_padding(&packet, static_cast<__u32>(frame.end - frame.pos));
    frame.end -= padding;
    return padding < 0 || echo_frame(frame, &packet) == 0 ? FrameEcho::ignored : FrameEcho::made;
}

} // namespace dnsgauge
