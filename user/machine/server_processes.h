// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the processes of this machine that are the server a trial asks.
//
// The server is the process with the socket at the address and the port asked, in the network
// namespace at the other end of the Tester's veth pair. If that namespace only passes packets on,
// as with a bridge, the server has the socket in a namespace behind it. The servers that the server
// may ask count as the server, too: processes with a socket at port 53, or at the port asked, in a
// namespace that a veth pair joins to the server's. Children belong to their parents. A parent of
// the same name in the same namespace belongs to the server, too, unless it has other children: a
// harness may start a server and other programs by one interpreter.
//
// A user may name the processes instead.
#pragma once

#include "dns/ip_address.h"
#include "machine/veth_links.h"
#include "result/trial_log.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ServerProcesses {
    std::map<int, std::string> names; // of the server's processes, by their IDs
    std::set<int> unclear;            // may be the server's, or may not
    std::set<std::string> interfaces; // whose NAPI threads work for the server
    std::string why;                  // these are the server's; empty if no server was looked for
};

// The place where a server is looked for.
struct ServerPlace {
    IpAddress address;
    std::uint16_t port = 53;
    bool is_tcp = false;   // its socket listens for TCP
    std::string process{}; // the server's, by ID or name; empty to look for the socket
};

// Returns the server's processes, as far as this process may see them (CAP_SYS_PTRACE for other
// users' processes). `proc` is /proc, or a test's copy. Throws SetupError if no process has the
// given ID or name.
[[nodiscard]] ServerProcesses find_server(const ServerPlace &place,
                                          const NamespaceProcesses &processes,
                                          const VethLinks &links,
                                          const std::filesystem::path &proc);

// Returns how many datagrams each UDP socket of the server at this place has dropped so far because
// its buffer was full, by the socket's inode. The kernel counts them in RcvbufErrors, too.
[[nodiscard]] std::map<std::string, std::uint64_t>
drops_by_socket(const ServerPlace &place, const ServerProcesses &server,
                const std::filesystem::path &proc);

// Returns whether the kernel's thread of this name carries the server's packets.
[[nodiscard]] bool carries_packets(const ServerProcesses &server, const std::string &kernel_thread);

// Returns the processes with the socket that the place names, in a network namespace that has the
// address, by ascending process IDs. The namespace must be the Tester's own or lie at
// the other end of the veth pair that `interface` belongs to: a lab on the Tester's machine may
// have the address of a server on another machine. Returns none if the server runs elsewhere, or if
// this process may not look at the server's processes. `proc`: /proc, or a test's copy.
[[nodiscard]] std::vector<ProcessMemory> server_memory(const ServerPlace &place,
                                                       const std::string &interface,
                                                       const std::filesystem::path &proc = "/proc");

} // namespace dnsgauge
