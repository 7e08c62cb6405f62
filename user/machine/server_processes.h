// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which processes of this machine are the server that a trial asks.
//
// The server is who has the UDP socket at the address and the port asked, in the network namespace
// at the other end of the Tester's veth pair. Where that namespace only passes packets on, as one
// with a bridge does, it is who has the socket in a namespace behind it. Whom the server may ask
// in turn counts as the server, too: who has a socket at the port 53, or at the port asked, in a
// namespace that a veth pair joins to the server's. Children count with their parents, and so does
// a parent of the same name in the same namespace, unless it has children that are no part of the
// server: a harness may start a server and other programs by one interpreter.
//
// A user may name the processes instead.
#pragma once

#include "machine/veth_links.h"
#include "userland/ip_address.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ServerProcesses {
    std::map<int, std::string> names; // of the server's processes, by their IDs
    std::set<int> unclear;            // may be the server's, or may not
    std::set<std::string> interfaces; // whose NAPI threads work for the server
    std::string why;                  // these are the server's; empty: no server was looked for
};

// Where a server is looked for.
struct ServerPlace {
    IpAddress address;
    std::uint16_t port = 53;
    std::string process{}; // the server's, by its ID or name; empty: who has the socket
};

// Returns the server's processes, as far as this process may see them (CAP_SYS_PTRACE for other
// users' processes). `proc`: /proc, or a test's copy. Throws SetupError where no process is the
// named one.
[[nodiscard]] ServerProcesses find_server(const ServerPlace &place,
                                          const NamespaceProcesses &processes,
                                          const VethLinks &links,
                                          const std::filesystem::path &proc);

// Returns whether the kernel's thread of this name carries the server's packets.
[[nodiscard]] bool carries_packets(const ServerProcesses &server, const std::string &kernel_thread);

} // namespace dnsgauge
