// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the files of /proc and /sys, with zero bytes between them. Whatever a kernel
// or a container shows there, reading gives facts, and each rule judges them.
#include "fuzz.h"

#include "file_of.h"

#include "machine/facts.h"
#include "machine/findings.h"
#include "system/cpus.h"

#include <algorithm>
#include <array>
#include <functional>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

namespace fs = std::filesystem;

// The files, in the order in which the input has them.
constexpr std::array files{
    "proc/sys/kernel/osrelease",
    "proc/self/status",
    "proc/self/limits",
    "proc/meminfo",
    "proc/cpuinfo",
    "proc/sys/net/core/bpf_jit_enable",
    "proc/1/comm",
    "sys/devices/system/cpu/isolated",
    "sys/devices/system/cpu/nohz_full",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/name",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/disable",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
    "sys/devices/system/clocksource/clocksource0/available_clocksource",
    "sys/class/net/eth1/threaded",
    "sys/class/net/eth1/device/numa_node",
    "sys/devices/system/node/node1/cpumap",
    "proc/net/snmp",
    "proc/net/snmp6",
    "proc/sys/net/core/rmem_default",
};

// A root folder with the files that the input has parts for.
const fs::path &root_of(std::string_view input)
{
    static const ScratchDirectory scratch;
    for (const char *file : files) {
        const fs::path path = scratch.path() / file;
        if (input.empty()) {
            fs::remove(path);
            continue;
        }
        fs::create_directories(path.parent_path());
        write_file(path, input.substr(0, input.find('\0')));
        input.remove_prefix(std::min(input.find('\0'), input.size() - 1) + 1);
    }
    return scratch.path();
}

void check(const Facts &facts)
{
    const std::vector<unsigned> &cpus = facts.host.cpus;
    must(std::ranges::adjacent_find(cpus, std::greater_equal{}) == cpus.end(), "CPUs ascend");
    must(cpus.empty() || cpus.back() <= cpu_most, "a machine has no more CPUs");
    must(std::ranges::includes(cpus, facts.interface.near_cpus), "near ones may be used");
    const Diagnosis diagnosis = diagnose(facts);
    must(!diagnosis.findings.empty(), "there is something to say");
    for (const Finding &finding : diagnosis.findings)
        must(!finding.seen.empty() && finding.seen.find('\n') == std::string::npos,
             "what is seen fills a line");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const fs::path &root = root_of(text_of({data, size}));
    Facts facts;
    facts.host = read_host_files(root);
    facts.interface.link.interface.name = "eth1";
    read_device_files(facts.interface, facts.host, root);
    check(facts);
    return 0;
}
