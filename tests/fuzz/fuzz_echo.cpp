// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hands any bytes to the echo as a frame. An echoed message goes back to its sender, whole but for
// its flags.
#include "fuzz.h"

#include "support/exact_buffer.h"
#include "wire/echo.h"

#include <algorithm>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint16_t port = 53;

void check_echo(std::span<const std::uint8_t> asked, const ExactBuffer &echoed, const packet &there)
{
    wire_cursor cursor = echoed.cursor();
    packet back{};
    must(packet_read(&cursor, &back) == PACKET_UDP, "an echo can be read");
    must(back.source_port == port && back.target_port == there.source_port, "ports are exchanged");
    const std::size_t message = there.udp_offset + PACKET_UDP_SIZE;
    must(std::ranges::equal(asked.subspan(message, 2), echoed.bytes().subspan(message, 2)) &&
             std::ranges::equal(asked.subspan(message + 4), echoed.bytes().subspan(message + 4)),
         "the message is the same");
    must((echoed.bytes()[message + 2] & 0x80) != 0, "but a reply");
    must(!echo_message({.pos = echoed.bytes().data() + message, .end = echoed.cursor().end}),
         "which is not echoed again");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span input(data, size);
    packet packet{};
    const ExactBuffer frame(input);
    if (!echo_frame_is_query(frame.cursor(), port, &packet))
        return 0;
    const int padding = packet_padding(&packet, static_cast<__u32>(size));
    if (padding < 0)
        return 0;
    const auto asked = input.first(size - static_cast<std::size_t>(padding));
    const ExactBuffer echoed(asked);
    if (echo_frame(echoed.cursor(), &packet))
        check_echo(asked, echoed, packet);
    else
        must(std::ranges::equal(asked, echoed.bytes()), "what is not echoed stays as it is");
    return 0;
}
