// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "userland/ip_address.h"

#include <sys/socket.h>

#include <cstdint>

namespace dnsgauge
{

// An address and a port as the kernel takes them.
struct SocketAddress {
    // With IpAddress{} the address stands for every address of the host.
    SocketAddress(const IpAddress &address, std::uint16_t port);

    [[nodiscard]] const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&all); }

    sockaddr_storage all{};
    socklen_t size;
};

} // namespace dnsgauge
