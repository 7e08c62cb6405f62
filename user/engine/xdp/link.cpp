// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/link.h"

#include "system/setup_error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr int first_frames = 4;
constexpr auto patience = std::chrono::seconds(3); // for all frames
constexpr auto between_looks = std::chrono::milliseconds(1);

// The least Ethernet frame, of "local experimental EtherType 1" (IEEE 802, 9.2.4).
constexpr std::size_t frame_length = 60;
constexpr std::array<std::uint8_t, 2> experimental_type = {0x88, 0xb5};

void write_frame(const Interface &interface, std::span<std::uint8_t> frame)
{
    std::fill_n(frame.begin(), frame_length, std::uint8_t{0});
    auto at = std::copy(interface.mac.begin(), interface.mac.end(), frame.begin());
    at = std::copy(interface.mac.begin(), interface.mac.end(), at);
    std::copy(experimental_type.begin(), experimental_type.end(), at);
}

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

void send_first_frames(const Interface &interface, Umem &umem, TxSocket &socket, bool polls_busily)
{
    const auto deadline = Clock::now() + patience;
    for (int i = 0; i < first_frames; i++) {
        const std::uint64_t address = umem.take();
        write_frame(interface, umem.frame(address));
        socket.queue(address, frame_length);
        socket.submit();
        // A link that is coming up refuses kicks, so failed kicks do not matter.
        while (static_cast<void>(socket.kick()), umem.reap([](std::uint64_t) {}) == 0) {
            if (Clock::now() > deadline)
                throw SetupError("the driver of " + interface.name +
                                 " did not send its first frames within 3 s" +
                                 (polls_busily
                                      ? " while --busy-poll polled it: leave --busy-poll out"
                                      : ": try --af-xdp copy"));
            std::this_thread::sleep_for(between_looks);
        }
    }
}

RunPath path_over(const Interface &interface)
{
    return {.engine = "AF_XDP",
            .rtt_begins = "the query is handed to the kernel",
            .rtt_ends = "the XDP program sees the reply",
            .least_rtt = least_rtt(interface)};
}

} // namespace dnsgauge
