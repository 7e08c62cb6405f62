// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A ring that an AF_XDP socket shares with the kernel, in the form that libxdp's functions use.
// libxdp 1.3 itself makes rings only together with packet memory that cannot have metadata.
#pragma once

#include "host/mapped_memory.h"

#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include <xdp/xsk.h>

namespace dnsgauge
{

// Sets a socket option of SOL_XDP. Returns 0, or the errno.
template <class Value>
[[nodiscard]] int set_xdp_option(int socket, int option, const Value &value)
{
    return setsockopt(socket, SOL_XDP, option, &value, sizeof(value)) == 0 ? 0 : errno;
}

enum class RingKind { fill, completion, receive, send };

class RingMemory
{
public:
    // Makes a ring of `entries`, a power of two, for `socket`. Throws SetupError.
    RingMemory(int socket, RingKind kind, std::uint32_t entries);

    // Return the ring's handle: producer() for fill and send, consumer() for completion and
    // receive.
    [[nodiscard]] xsk_ring_prod producer() const;
    [[nodiscard]] xsk_ring_cons consumer() const;

private:
    template <class Ring>
    [[nodiscard]] Ring ring() const;

    std::uint32_t entries_;
    xdp_ring_offset offset_{};
    std::optional<MappedMemory> memory_;
};

} // namespace dnsgauge
