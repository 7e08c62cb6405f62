// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tells which of a server's sockets at one address and port were read.
#pragma once

#include "machine/listeners.h"
#include "result/probe_result.h"

#include <cstdint>
#include <map>
#include <vector>

namespace dnsgauge
{

// Returns the sockets that share an address at this port, as SO_REUSEPORT allows. The socket with
// the most queries comes first. Leaves out addresses where no socket was read. `read` has the
// sockets that were read, by their inodes.
[[nodiscard]] std::vector<SharingSocket>
sharing_sockets(const std::vector<ServerSocket> &sockets, std::uint16_t port,
                const std::map<std::uint64_t, SharingSocket> &read);

} // namespace dnsgauge
