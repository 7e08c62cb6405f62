// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What every AF_XDP socket needs: opens it, registers its packet memory, and binds it to a queue.
#pragma once

#include "system/unique_fd.h"
#include "xsk/kernel.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

enum class CopyMode {
    automatic, // zero-copy if the driver has it
    copy,
    zero_copy,
};

// Returns a new socket. Throws SetupError if this kernel has no AF_XDP, or a capability is missing.
[[nodiscard]] UniqueFd open_xdp_socket();

// Throws SetupError if the kernel does not take the memory, or may not lock it.
void register_packet_memory(int socket, const kernel::UmemRegistration &memory);

// Binds the socket. Waits a moment if another socket is just leaving the queue. Throws SetupError
// if the queue is taken or does not exist, or the driver has no zero-copy mode.
void bind_to_queue(int socket, const std::string &interface, std::uint32_t queue, CopyMode mode);

// Puts the socket into the kernel program's map of sockets by receive queue. Throws SetupError.
void hand_xdp_socket(int map, std::uint32_t queue, int socket);

} // namespace dnsgauge
