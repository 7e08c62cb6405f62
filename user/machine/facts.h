// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Facts about an interface and its host, without judgements.
#pragma once

#include "host/ethtool.h"
#include "host/netdev.h"
#include "host/xdp_link.h"
#include "machine/interface.h"
#include "result/trial_result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace dnsgauge
{

struct KernelVersion {
    unsigned major = 0;
    unsigned minor = 0;
    bool operator==(const KernelVersion &) const = default;
    bool operator<(const KernelVersion &other) const
    {
        return std::tie(major, minor) < std::tie(other.major, other.minor);
    }
};

struct HugePages {
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    std::uint64_t size_kib = 0;
};

// A state that a CPU with nothing to do may enter.
struct IdleState {
    std::string name;        // "POLL", "C6"
    unsigned wake_up_us = 0; // 0 if the CPU does not sleep
    bool operator==(const IdleState &) const = default;
};

struct LockedMemory {
    bool is_unlimited = false;
    std::uint64_t bytes = 0;
};

// A member is empty or has no value if the kernel does not report it.
struct HostFacts {
    std::string kernel; // "6.1.0-18-amd64"
    std::optional<KernelVersion> version;
    std::vector<unsigned> cpus;                // that this process may use
    std::vector<std::string> shared_cores;     // the CPUs of each core that has several: "0,4"
    std::map<unsigned, std::string> node_cpus; // the CPUs next to each memory node: "8-15"
    std::map<std::string, unsigned> governors; // number of CPUs by governor
    std::vector<IdleState> idle_states;        // that any CPU may enter, each once
    std::string isolated_cpus;                 // isolcpus=, "2-3"
    std::string tickless_cpus;                 // nohz_full=
    std::string clocksource;
    std::string clocksources; // available ones, between blanks
    std::optional<bool> is_virtual;
    bool irqbalance_runs = false;
    std::optional<HugePages> huge_pages;
    // Datagrams that found a full UDP socket of this network namespace (RcvbufErrors).
    std::optional<std::uint64_t> full_sockets;
    // net.core.rmem_default, which older kernels show in the first network namespace alone.
    std::optional<std::uint64_t> socket_buffer;
    // net.core.bpf_jit_enable, which only the first network namespace has.
    std::optional<unsigned> bpf_jit_setting;
    std::optional<bool> bpf_is_compiled;
    std::optional<bool> takes_call_filters;    // filters of system calls
    std::optional<std::uint64_t> capabilities; // effective ones, a bit each
    std::optional<LockedMemory> locked_memory; // what this process may lock
};

// Returns the CPUs of a kernel's list, "0-3,8", in ascending order; none if the text is no list.
[[nodiscard]] std::vector<unsigned> cpus_of_list(const std::string &list);

// Reads all facts but bpf_is_compiled and takes_call_filters, which no file tells.
[[nodiscard]] HostFacts read_host_files(const std::filesystem::path &root);

// Returns what the kernel says about its wall clock (adjtimex(2)), and the running programs that
// set clocks, by the files below `root`.
[[nodiscard]] WallClock read_wall_clock(const std::filesystem::path &root);

// A member is empty or has no value if the driver or the kernel does not report it.
struct InterfaceFacts {
    LinkState link;
    std::string bus; // of the device; empty without one, as for veth
    Channels channels;
    std::optional<ethtool_ringparam> rings;
    std::optional<FlowHash> hash_udp4;
    std::optional<FlowHash> hash_udp6;
    std::vector<std::uint32_t> indirection;
    std::optional<ethtool_coalesce> coalescing;
    std::optional<ethtool_pauseparam> pause;
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
