// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads a socket, and the kernel's stamp of the time at which the octets came.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

namespace dnsgauge
{

// Makes the kernel stamp what arrives at a socket. Returns false if the kernel has no stamps.
bool stamp_arrivals(int socket);

struct StampedOctets {
    ssize_t count = 0; // as recv() returns it; errno says why it is negative
    // CLOCK_REALTIME: when the kernel received the last segment of these octets.
    std::optional<std::int64_t> stamp_ns{};
};

// Returns the stamp of a message that was received.
[[nodiscard]] std::optional<std::int64_t> stamp_in(msghdr &message);

// Does what recv() does.
[[nodiscard]] StampedOctets receive_stamped(int socket, std::span<std::uint8_t> room, int flags);

} // namespace dnsgauge
