// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which of a server's sockets at one address and port were read.
#pragma once

#include "machine/listeners.h"
#include "result/probe_result.h"

#include <cstdint>
#include <map>
#include <vector>

namespace dnsgauge
{

// Returns those of the sockets that share an address at this port, as SO_REUSEPORT allows, by
// queries, most first. Leaves out addresses where no socket was read. `read`: the sockets that
// were, by their inodes.
[[nodiscard]] std::vector<SharingSocket>
sharing_sockets(const std::vector<ServerSocket> &sockets, std::uint16_t port,
                const std::map<std::uint64_t, SharingSocket> &read);

} // namespace dnsgauge
