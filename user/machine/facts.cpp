// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"

#include "host/bpf_kernel.h"
#include "machine/card.h"
#include "machine/text_files.h"
#include "machine/topology.h"
#include "system/cpus.h"
#include "system/setup_error.h"
#include "system/system_calls.h"
#include "system/unique_fd.h"

#include <sys/socket.h>
#include <sys/timex.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string_view>

namespace dnsgauge
{

namespace
{

// Returns nothing if this process may not open an AF_XDP socket, even if the kernel has them.
std::optional<bool> kernel_has_af_xdp()
{
    const UniqueFd socket{::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0)};
    if (socket)
        return true;
    return errno == EAFNOSUPPORT ? std::optional(false) : std::nullopt;
}

void ask_driver(InterfaceFacts &facts)
{
    const Ethtool ethtool(facts.link.interface.name);
    facts.bus = ethtool.bus();
    facts.channels = ethtool.channels();
    facts.rings = ethtool.rings();
    facts.hash_udp4 = ethtool.flow_hash(UdpFlow::ipv4);
    facts.hash_udp6 = ethtool.flow_hash(UdpFlow::ipv6);
    facts.indirection = ethtool.indirection();
    facts.coalescing = ethtool.coalescing();
    facts.pause = ethtool.pause();
    facts.timestamping = ethtool.timestamping();
    facts.features = ethtool.features();
}

namespace fs = std::filesystem;

// Reads "6.1.0-18-amd64".
std::optional<KernelVersion> version_of(const std::string &kernel)
{
    const auto dot = kernel.find('.');
    if (dot == std::string::npos)
        return std::nullopt;
    const auto major = leading_number<unsigned>(kernel);
    const auto minor = leading_number<unsigned>(kernel.substr(dot + 1));
    if (!major || !minor)
        return std::nullopt;
    return KernelVersion{.major = *major, .minor = *minor};
}

// Returns the folders cpu0, cpu1... that /sys has for CPUs.
std::vector<fs::path> cpu_folders(const fs::path &cpu)
{
    std::vector<fs::path> folders;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(cpu, error)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("cpu") && leading_number<unsigned>(name.substr(3)))
            folders.push_back(entry.path());
    }
    return folders;
}

// Adds the states of one CPU that are not disabled.
void read_idle_states(HostFacts &facts, const fs::path &cpuidle)
{
    for (unsigned number = 0;; number++) {
        const fs::path folder = cpuidle / ("state" + std::to_string(number));
        const std::string name = first_line(folder / "name");
        if (name.empty())
            return;
        const IdleState state{name,
                              leading_number<unsigned>(first_line(folder / "latency")).value_or(0)};
        if (first_line(folder / "disable") != "1" &&
            std::ranges::find(facts.idle_states, state) == facts.idle_states.end())
            facts.idle_states.push_back(state);
    }
}

void read_cpus(HostFacts &facts, const fs::path &cpu)
{
    for (const fs::path &folder : cpu_folders(cpu)) {
        if (const std::string governor = first_line(folder / "cpufreq/scaling_governor");
            !governor.empty())
            facts.governors[governor]++;
        read_idle_states(facts, folder / "cpuidle");
    }
    facts.isolated_cpus = first_line(cpu / "isolated");
    facts.tickless_cpus = first_line(cpu / "nohz_full");
    if (facts.tickless_cpus == "(null)") // some kernels say this for none
        facts.tickless_cpus.clear();
}

// Returns whether a process of this name runs and is not stopped ("dnsgauge placement" stops some).
bool has_process(const fs::path &proc, const std::string &name)
{
    bool found = false;
    for_each_number(proc, [&](int process) {
        const fs::path folder = proc / std::to_string(process);
        found = found || (first_line(folder / "comm") == name &&
                          !value_of(folder / "status", "State:").starts_with('T'));
    });
    return found;
}

// Returns whether a hypervisor runs this machine; nothing on CPUs other than x86, which do not show
// it.
std::optional<bool> is_virtual(const fs::path &cpuinfo)
{
    const std::string flags = value_of(cpuinfo, "flags");
    if (flags.empty())
        return std::nullopt;
    return (flags + " ").find(" hypervisor ") != std::string::npos;
}

std::optional<HugePages> read_huge_pages(const fs::path &meminfo)
{
    const auto number = [&](const char *key) {
        return leading_number<std::uint64_t>(value_of(meminfo, key));
    };
    const auto total = number("HugePages_Total:");
    const auto free = number("HugePages_Free:");
    const auto size = number("Hugepagesize:");
    if (!total || !free || !size)
        return std::nullopt;
    return HugePages{.total = *total, .free = *free, .size_kib = *size};
}

// Reads the soft limit: "Max locked memory         8388608              8388608              bytes"
std::optional<LockedMemory> read_locked_memory(const fs::path &limits)
{
    const std::string limit = value_of(limits, "Max locked memory");
    if (limit.starts_with("unlimited"))
        return LockedMemory{.is_unlimited = true, .bytes = 0};
    const auto bytes = leading_number<std::uint64_t>(limit);
    if (!bytes)
        return std::nullopt;
    return LockedMemory{.is_unlimited = false, .bytes = *bytes};
}

// As /proc shows them: the kernel keeps fifteen letters of a name.
constexpr std::array<std::string_view, 7> clock_programs{
    "chronyd", "ntpd", "systemd-timesyn", "ptp4l", "phc2sys", "ts2phc", "timemaster"};

std::vector<std::string> running_programs(const std::filesystem::path &proc)
{
    std::vector<std::string> names;
    for_each_number(proc, [&](int process) {
        const std::string name = first_line(proc / std::to_string(process) / "comm");
        if (std::ranges::find(clock_programs, name) != clock_programs.end() &&
            std::ranges::find(names, name) == names.end())
            names.push_back(name);
    });
    std::ranges::sort(names);
    return names;
}

// Returns a counter of /proc/net/snmp, which has a line of names and a line of values for each
// protocol.
std::optional<std::uint64_t> counter_in(const fs::path &file, const std::string &protocol,
                                        const std::string &name)
{
    std::ifstream lines(file);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = words_of(line);
        if (words.empty() || words.front() != protocol)
            continue;
        const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
        if (place < names.size() && place < words.size())
            return leading_number<std::uint64_t>(words[place]);
        names = words;
    }
    return std::nullopt;
}

} // namespace

void read_device_files(InterfaceFacts &facts, const HostFacts &host,
                       const std::filesystem::path &root)
{
    const auto device = root / "sys/class/net" / facts.link.interface.name;
    if (const auto threads = leading_number<unsigned>(first_line(device / "threaded")))
        facts.threaded = *threads != 0;
    facts.zero_copy_obstacle = zero_copy_obstacle(facts.link.interface, root);
    const auto number = card_node(facts.link.interface.name, root);
    const auto node = number ? host.node_cpus.find(*number) : host.node_cpus.end();
    if (node == host.node_cpus.end())
        return;
    facts.numa_node = number;
    facts.node_cpus = node->second;
    const std::vector<unsigned> near = cpus_of_list(node->second);
    std::set_intersection(host.cpus.begin(), host.cpus.end(), near.begin(), near.end(),
                          std::back_inserter(facts.near_cpus));
}

Facts read_facts(const std::string &interface, const std::filesystem::path &root)
{
    Facts facts;
    facts.host = read_host_files(root);
    facts.host.bpf_is_compiled = bpf_is_compiled();
    facts.host.takes_call_filters = kernel_takes_filters();
    facts.interface.link = find_link(interface);
    const Interface &found = facts.interface.link.interface;
    ask_driver(facts.interface);
    facts.interface.program = attached_program(found.index);
    facts.interface.xdp = read_xdp_features(found.index);
    facts.interface.af_xdp = kernel_has_af_xdp();
    read_device_files(facts.interface, facts.host, root);
    return facts;
}

std::vector<unsigned> cpus_of_list(const std::string &list)
{
    try {
        std::vector<unsigned> cpus = parse_cpu_list("the kernel", list, cpu_most);
        std::sort(cpus.begin(), cpus.end());
        cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
        return cpus;
    } catch (const SetupError &) {
        return {};
    }
}

HostFacts read_host_files(const fs::path &root)
{
    const fs::path proc = root / "proc";
    const fs::path system = root / "sys/devices/system";
    HostFacts facts;
    facts.kernel = first_line(proc / "sys/kernel/osrelease");
    facts.version = version_of(facts.kernel);
    facts.cpus = cpus_of_list(value_of(proc / "self/status", "Cpus_allowed_list:"));
    Topology topology = read_topology(root);
    facts.shared_cores = std::move(topology.shared_cores);
    facts.node_cpus = std::move(topology.node_cpus);
    read_cpus(facts, system / "cpu");
    facts.clocksource = first_line(system / "clocksource/clocksource0/current_clocksource");
    facts.clocksources = first_line(system / "clocksource/clocksource0/available_clocksource");
    facts.is_virtual = is_virtual(proc / "cpuinfo");
    facts.irqbalance_runs = has_process(proc, "irqbalance");
    facts.huge_pages = read_huge_pages(proc / "meminfo");
    if (const auto full = counter_in(proc / "net/snmp", "Udp:", "RcvbufErrors"))
        facts.full_sockets =
            *full + leading_number<std::uint64_t>(value_of(proc / "net/snmp6", "Udp6RcvbufErrors"))
                        .value_or(0);
    facts.socket_buffer =
        leading_number<std::uint32_t>(first_line(proc / "sys/net/core/rmem_default"));
    facts.bpf_jit_setting =
        leading_number<unsigned>(first_line(proc / "sys/net/core/bpf_jit_enable"));
    facts.capabilities =
        leading_number<std::uint64_t>(value_of(proc / "self/status", "CapEff:"), 16);
    facts.locked_memory = read_locked_memory(proc / "self/limits");
    return facts;
}

WallClock read_wall_clock(const std::filesystem::path &root)
{
    WallClock clock{.programs = running_programs(root / "proc")};
    timex state{};
    if (const int found = adjtimex(&state); found != -1) {
        clock.is_synchronised = found != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
        clock.error_most = std::chrono::microseconds(state.maxerror);
    }
    return clock;
}

} // namespace dnsgauge
