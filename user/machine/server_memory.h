// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The memory of a server that runs on this machine, in any network namespace.
#pragma once

#include "result/trial_log.h"
#include "userland/ip_address.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the processes that have a UDP socket at the address and the port, in a network namespace
// that has the address, by ascending process IDs. The namespace must be the Tester's own or lie at
// the other end of the veth pair that `interface` belongs to: a lab on the Tester's machine may
// have the address of a server on another machine. Returns none if the server runs elsewhere, or if
// this process may not look at the server's processes. `proc`: /proc, or a test's copy.
[[nodiscard]] std::vector<ProcessMemory> server_memory(const IpAddress &server, std::uint16_t port,
                                                       const std::string &interface,
                                                       const std::filesystem::path &proc = "/proc");

} // namespace dnsgauge
