// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the other ends of veth pairs, in the network namespaces of this machine.
#pragma once

#include "machine/listeners.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// One end of a veth pair.
struct VethEnd {
    std::string name;
    unsigned index = 0;
    unsigned peer_index = 0;        // of the pair's other end, in its own namespace
    std::uint64_t peer_namespace{}; // where the other end is; 0 if no process there can be seen
};

// The network namespaces that veth pairs join, by their numbers.
struct VethLinks {
    std::uint64_t own = 0; // the namespace of this process
    std::uint64_t peer{};  // at the interface's other end; 0 if no process there can be seen
    unsigned index = 0;    // the interface's, in the namespace of this process
    // The namespaces of the peer, and the namespaces that pairs join to the peer. A namespace is
    // missing if this process may not see its links (CAP_NET_ADMIN).
    std::map<std::uint64_t, std::vector<VethEnd>> ends{};
};

// Returns the links around an interface that is an end of a veth pair. For any other interface the
// peer is 0. Throws SetupError if this process cannot talk to the kernel.
[[nodiscard]] VethLinks veth_links(const std::string &interface,
                                   const NamespaceProcesses &processes,
                                   const std::filesystem::path &proc);

// The other end of a veth pair in a network namespace that has a name.
struct NamedEnd {
    std::string netns; // as "ip netns" names it
    std::string interface;
};

// Returns the other end of the interface. Returns nothing if the interface is no end of a pair, if
// the other end's namespace has no name, or if this process may not see its links. Throws
// SetupError if this process cannot talk to the kernel.
[[nodiscard]] std::optional<NamedEnd> named_far_end(const std::string &interface);

} // namespace dnsgauge
