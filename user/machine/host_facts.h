// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Facts about the host, from /proc and /sys.
#pragma once

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

// The highest number of a CPU that Linux can be configured for.
inline constexpr unsigned cpu_most = 8191;

// Returns the CPUs of a kernel's list, "0-3,8", in ascending order; none if the text is no list.
[[nodiscard]] std::vector<unsigned> cpus_of_list(const std::string &list);

// Reads all facts but bpf_is_compiled and takes_call_filters, which no file tells.
[[nodiscard]] HostFacts read_host_files(const std::filesystem::path &root);

// Returns what the kernel says about its wall clock (adjtimex(2)), and the running programs that
// set clocks, by the files below `root`.
[[nodiscard]] WallClock read_wall_clock(const std::filesystem::path &root);

} // namespace dnsgauge
