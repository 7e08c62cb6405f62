// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Facts about an interface and its host, without judgements.
#pragma once

#include "host/ethtool.h"
#include "host/xdp_features.h"
#include "host/xdp_link.h"
#include "machine/host_facts.h"
#include "machine/interface.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A member is empty or has no value if the driver or the kernel does not report it.
struct InterfaceFacts {
    LinkState link;
    std::string bus; // of the device; empty without one, as for veth
    Channels channels;
    std::optional<Rings> rings;
    std::optional<FlowHash> hash_udp4;
    std::optional<FlowHash> hash_udp6;
    std::vector<std::uint32_t> indirection;
    std::optional<Coalescing> coalescing;
    std::optional<Pause> pause;
    std::optional<Timestamping> timestamping;
    std::map<std::string, Feature> features;
    std::optional<AttachedProgram> program;
    std::optional<XdpFeatures> xdp;
    std::string
        zero_copy_obstacle;     // why the device refuses its driver's zero-copy mode; may be empty
    std::optional<bool> af_xdp; // the kernel has AF_XDP
    std::optional<bool> threaded;      // threads of its own poll the interface (NAPI)
    std::optional<unsigned> numa_node; // the memory node next to the device
    std::string node_cpus;             // all of that node, "8-15"
    std::vector<unsigned> near_cpus;   // CPUs of that node that this process may use
};

// What the interface is for, as far as the user has said.
enum class Role { unknown, tester, dut };

struct Facts {
    InterfaceFacts interface;
    HostFacts host;
    Role role = Role::unknown;
};

// Reads all facts, from /proc and /sys below `root`. Throws SetupError if there is no such
// interface, if it is not Ethernet, or if this process cannot talk to the kernel.
[[nodiscard]] Facts read_facts(const std::string &interface, const std::filesystem::path &root);

// Reads the facts that /sys tells into `facts`, whose link is known.
void read_device_files(InterfaceFacts &facts, const HostFacts &host,
                       const std::filesystem::path &root);

} // namespace dnsgauge
