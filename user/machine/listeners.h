// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sockets of servers in network namespaces, by the texts of /proc. No namespace is
// entered.
#pragma once

#include "dns/ip_address.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// The processes of this machine, by network namespace.
struct NamespaceProcesses {
    std::map<std::uint64_t, std::set<int>> seen; // by the namespaces' numbers
    std::set<int> hidden; // namespaces unknown: other users' processes take CAP_SYS_PTRACE
};

// Returns all processes. `proc` is /proc, or a test's copy, here and below.
[[nodiscard]] NamespaceProcesses processes_by_namespace(const std::filesystem::path &proc);

// Returns the number of the network namespace of the process with the folder /proc/PID. If this
// process may not see the namespace, sets errno and returns 0.
[[nodiscard]] std::uint64_t network_namespace_of(const std::filesystem::path &process);

struct ServerSocket {
    IpAddress address; // that the socket is bound to
    std::uint16_t port = 0;
    std::string inode;
    std::uint64_t drops = 0;   // UDP: datagrams that found its buffer full
    bool is_connected = false; // UDP: takes what comes from one client alone

    // Returns whether the socket takes what comes to this address and port of its host.
    [[nodiscard]] bool takes(const IpAddress &to, std::uint16_t to_port) const;
};

// Return the sockets of a namespace: all for UDP, and those for TCP that listen. `net`: the folder
// /proc/PID/net of one of its processes; likewise below.
[[nodiscard]] std::vector<ServerSocket> udp_sockets(const std::filesystem::path &net);
[[nodiscard]] std::vector<ServerSocket> tcp_listeners(const std::filesystem::path &net);

// Returns whether the namespace's routing table delivers the address locally: as an interface's
// address, or by a prefix ("ip route add local").
[[nodiscard]] bool has_address(const std::filesystem::path &net, const IpAddress &address);

// Returns which of the sockets with these inodes the process has. `process`: the folder /proc/PID.
[[nodiscard]] std::set<std::string> sockets_of(const std::filesystem::path &process,
                                               const std::set<std::string> &inodes);

} // namespace dnsgauge
