// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is so, without a judgement: an interface and the host it is in.
#pragma once

#include "host/xdp_features.h"
#include "host/xdp_link.h"
#include "machine/ethtool.h"
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

// Empty or without a value: the driver or the kernel does not report it.
struct InterfaceFacts {
    LinkState link;
    std::string bus; // of the device; empty: there is none behind the interface, as with veth
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
    std::optional<bool> af_xdp;        // the kernel has AF_XDP
    std::optional<bool> threaded;      // polled (NAPI) in threads of its own
    std::optional<unsigned> numa_node; // that the device is next to
    std::string node_cpus;             // all of that node, "8-15"
    std::vector<unsigned> near_cpus;   // those of them that this process may use
};

// What the interface is for, as far as the user has said.
enum class Role { unknown, tester, dut };

struct Facts {
    InterfaceFacts interface;
    HostFacts host;
    Role role = Role::unknown;
};

// Reads all of them; /proc and /sys below `root`. Throws SetupError: there is no such interface,
// it is not Ethernet, or the kernel cannot be talked to.
[[nodiscard]] Facts read_facts(const std::string &interface, const std::filesystem::path &root);

// The part that /sys tells, into `facts` whose link is known.
void read_device_files(InterfaceFacts &facts, const HostFacts &host,
                       const std::filesystem::path &root);

} // namespace dnsgauge
