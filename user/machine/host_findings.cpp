// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"
#include "machine/findings.h"
#include "machine/rule.h"
#include "result/stalls.h"
#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dnsgauge
{

namespace
{

using HostVerdict = std::optional<DoctorJudgement>;

constexpr KernelVersion oldest{.major = 6, .minor = 1};
constexpr std::uint64_t locked_least_mib = 64; // packet memory of four senders, with some to spare
constexpr unsigned shared_cores_shown = 4;

struct Capability {
    unsigned number;
    const char *name;
};

bool has(std::uint64_t capabilities, unsigned number)
{
    return (capabilities >> number & 1U) != 0;
}

HostVerdict judge_kernel(const Facts &facts)
{
    if (!facts.host.version)
        return not_reported_by("kernel");
    if (*facts.host.version < oldest)
        return warned(facts.host.kernel + ": dnsgauge is made for Linux 6.1 and later");
    return fine(facts.host.kernel);
}

HostVerdict judge_capabilities(const Facts &facts)
{
    constexpr std::array<Capability, 4> needed = {{{CAP_NET_ADMIN, "CAP_NET_ADMIN"},
                                                   {CAP_NET_RAW, "CAP_NET_RAW"},
                                                   {CAP_BPF, "CAP_BPF"},
                                                   {CAP_PERFMON, "CAP_PERFMON"}}};
    if (!facts.host.capabilities)
        return not_reported_by("kernel");
    const std::string missing = joined(needed, [&](const Capability &capability) {
        return has(*facts.host.capabilities, capability.number) ? "" : capability.name;
    });
    if (missing.empty())
        return fine("all that are needed");
    return failed("without " + missing, "sudo dnsgauge trial ...");
}

HostVerdict judge_locked_memory(const Facts &facts)
{
    const auto &limit = facts.host.locked_memory;
    if (has(facts.host.capabilities.value_or(0), CAP_IPC_LOCK))
        return fine("no limit: CAP_IPC_LOCK");
    if (!limit)
        return not_reported_by("kernel");
    if (limit->is_unlimited)
        return fine("no limit");
    const std::uint64_t mib = limit->bytes >> 20U;
    const std::string seen = fmt::format("at most {} MiB", mib);
    if (mib >= locked_least_mib)
        return fine(seen);
    return warned(seen, "sudo prlimit --pid $$ --memlock=unlimited");
}

HostVerdict judge_bpf_jit(const Facts &facts)
{
    const auto &setting = facts.host.bpf_jit_setting;
    const auto compiled = setting ? std::optional(*setting != 0) : facts.host.bpf_is_compiled;
    if (!compiled)
        return unknown("not known: this process may not load a program");
    if (*compiled)
        return fine("programs are compiled");
    const std::string command = "sysctl -w net.core.bpf_jit_enable=1";
    return warned("programs are interpreted",
                  setting ? command : "nsenter --target 1 --net " + command);
}

HostVerdict judge_irqbalance(const Facts &facts)
{
    if (!facts.host.irqbalance_runs)
        return fine("does not run");
    if (facts.interface.bus.empty())
        return noted("runs; this interface has no interrupts");
    return warned("runs", "systemctl stop irqbalance");
}

HostVerdict judge_governor(const Facts &facts)
{
    const auto &governors = facts.host.governors;
    if (governors.empty())
        return not_reported_by("kernel");
    const std::string seen = joined(
        governors, [](const auto &one) { return one.first + " on " + counted(one.second, "CPU"); });
    if (governors.size() == 1 && governors.contains("performance"))
        return fine(seen);
    return warned(seen,
                  "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
}

HostVerdict judge_idle_states(const Facts &facts)
{
    constexpr unsigned deep_us = 10;
    const auto &states = facts.host.idle_states;
    if (states.empty())
        return not_reported_by("kernel");
    const auto deepest = std::ranges::max_element(states, {}, &IdleState::wake_up_us);
    if (deepest->wake_up_us == 0)
        return fine(deepest->name + ": idle CPUs do not sleep");
    return DoctorJudgement{deepest->wake_up_us < deep_us ? Severity::note : Severity::warn,
                           fmt::format("{}, {} us to wake up", deepest->name, deepest->wake_up_us),
                           "echo 1 | tee /sys/devices/system/cpu/cpu*/cpuidle/state[1-9]*/disable"};
}

HostVerdict judge_smt(const Facts &facts)
{
    const auto &cores = facts.host.shared_cores;
    if (cores.empty())
        return fine("each CPU is a core of its own");
    std::string seen = fmt::format("{} of several CPUs:", counted(cores.size(), "core"));
    for (std::size_t i = 0; i < std::min<std::size_t>(cores.size(), shared_cores_shown); i++)
        seen += " " + cores[i];
    if (cores.size() > shared_cores_shown)
        seen += " ...";
    return warned(seen, "echo off >/sys/devices/system/cpu/smt/control");
}

HostVerdict judge_isolation(const Facts &facts)
{
    const HostFacts &host = facts.host;
    if (host.isolated_cpus.empty() && host.tickless_cpus.empty())
        return noted("no CPU is kept free (isolcpus=, nohz_full= at boot)");
    const auto list = [](const std::string &cpus) { return cpus.empty() ? "none" : cpus; };
    return fine(fmt::format("isolcpus {}, nohz_full {}", list(host.isolated_cpus),
                            list(host.tickless_cpus)));
}

HostVerdict judge_clocksource(const Facts &facts)
{
    // Clock sources that are read without a system call. Others cost a microsecond and more.
    constexpr std::array<std::string_view, 4> quick = {"tsc", "arch_sys_counter", "kvm-clock",
                                                       "hyperv_clocksource_tsc_page"};
    const std::string &source = facts.host.clocksource;
    if (source.empty())
        return not_reported_by("kernel");
    if (std::find(quick.begin(), quick.end(), source) != quick.end())
        return fine(source);
    const bool could_be_tsc =
        (" " + facts.host.clocksources + " ").find(" tsc ") != std::string::npos;
    return warned(source + (could_be_tsc ? "" : ", and the machine offers no tsc"),
                  could_be_tsc
                      ? "echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource"
                      : "");
}

HostVerdict judge_virtual(const Facts &facts)
{
    if (!facts.host.is_virtual)
        return not_reported_by("kernel");
    if (*facts.host.is_virtual)
        return noted("yes");
    return fine("no");
}

HostVerdict judge_huge_pages(const Facts &facts)
{
    const auto &pages = facts.host.huge_pages;
    if (!pages)
        return not_reported_by("kernel");
    const std::string seen =
        fmt::format("{} free (of {}), {} KiB each", pages->free, pages->total, pages->size_kib);
    if (pages->free != 0)
        return fine(seen);
    return noted(seen, fmt::format("sysctl -w vm.nr_hugepages={}", pages->total + 64));
}

HostVerdict judge_call_filters(const Facts &facts)
{
    if (!facts.host.takes_call_filters)
        return not_reported_by("kernel");
    if (*facts.host.takes_call_filters)
        return fine("threads that send are bound");
    return noted("the kernel, or a container's rules, refuse filters");
}

// A Tester takes its packets before they come to a socket.
HostVerdict judge_udp_sockets(const Facts &facts)
{
    const HostFacts &host = facts.host;
    if (facts.role == Role::tester)
        return std::nullopt;
    if (!host.full_sockets)
        return not_reported_by("kernel");
    const std::string buffer =
        host.socket_buffer
            ? fmt::format("; a socket has {} octets unless its program asks for more, "
                          "which hold {} small queries",
                          *host.socket_buffer, *host.socket_buffer / packet_in_buffer)
            : "";
    const std::string seen = fmt::format("{} found a full UDP socket in this network namespace{}",
                                         counted(*host.full_sockets, "datagram"), buffer);
    if (*host.full_sockets == 0)
        return fine(seen);
    constexpr std::uint64_t ample = 4ULL << 20U;
    return DoctorJudgement{facts.role == Role::dut ? Severity::warn : Severity::note, seen,
                           fmt::format("sysctl -w net.core.rmem_default={}", ample)};
}

constexpr std::array<DoctorRule<Facts>, 14> host_rules = {{
    {"kernel", "features may be missing, and dnsgauge was never tried on it", judge_kernel},
    {"capabilities", "the kernel refuses AF_XDP sockets and XDP programs", judge_capabilities},
    {"locked-memory", "the kernel locks packet memory, which counts against the limit",
     judge_locked_memory},
    {"bpf-jit", "interpreted programs are several times slower", judge_bpf_jit},
    {"irqbalance", "irqbalance moves interrupts from CPU to CPU during a trial", judge_irqbalance},
    {"governor", "a CPU that changes its frequency gives other figures each time", judge_governor},
    {"idle-states",
     "a sleeping CPU of the server takes time to wake up, which RTTs contain; the Tester's CPUs "
     "sleep only between trials",
     judge_idle_states},
    {"smt", "CPUs that share a core slow each other down", judge_smt},
    {"isolation", "other processes on a sender's CPU make queries late", judge_isolation},
    {"clocksource",
     "a sender reads the clock for every batch, and a clock that needs a system call is slow",
     judge_clocksource},
    {"virtual-machine",
     "the host can stop the virtual machine at any time: lateness and RTTs have outliers",
     judge_virtual},
    {"system-calls",
     "without a filter a flaw in a sending thread may make every system call, not only the few "
     "that sending takes",
     judge_call_filters},
    {"huge-pages", "packet memory in ordinary pages costs more TLB misses", judge_huge_pages},
    {"udp-sockets", "what finds a full socket is lost; dnsgauge probe tells why it was full",
     judge_udp_sockets},
}};

} // namespace

std::vector<Finding> host_findings(const Facts &facts)
{
    return judge_all(host_rules, facts);
}

} // namespace dnsgauge
