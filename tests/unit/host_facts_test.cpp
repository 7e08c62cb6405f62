// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"
#include "system/temporary_directory.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

namespace fs = std::filesystem;

// A root folder with the /proc and /sys that the test writes.
class FakeRoot : public TemporaryDirectory
{
public:
    FakeRoot() : TemporaryDirectory("dnsgauge-root") {}

    void put(const std::string &file, const std::string &text)
    {
        fs::create_directories((path() / file).parent_path());
        std::ofstream(path() / file) << text;
    }
    [[nodiscard]] HostFacts host() const { return read_host_files(path()); }
};

const std::string cpu = "sys/devices/system/cpu/";

} // namespace

TEST_CASE("where /proc and /sys say nothing, nothing is known")
{
    const FakeRoot root;
    const HostFacts facts = root.host();
    CHECK(facts.kernel.empty());
    CHECK_FALSE(facts.version);
    CHECK(facts.cpus.empty());
    CHECK(facts.shared_cores.empty());
    CHECK(facts.governors.empty());
    CHECK(facts.clocksource.empty());
    CHECK_FALSE(facts.is_virtual);
    CHECK_FALSE(facts.irqbalance_runs);
    CHECK_FALSE(facts.huge_pages);
    CHECK_FALSE(facts.bpf_jit_setting);
    CHECK_FALSE(facts.capabilities);
    CHECK_FALSE(facts.locked_memory);
    CHECK_FALSE(facts.full_sockets);
    CHECK_FALSE(facts.socket_buffer);
}

TEST_CASE("full UDP sockets are counted by both families, and the usual buffer is read")
{
    FakeRoot root;
    root.put("proc/net/snmp", "Ip: Forwarding RcvbufErrors\nIp: 1 9\n"
                              "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\n"
                              "Udp: 10 0 3 10 3\nUdpLite: RcvbufErrors\nUdpLite: 9\n");
    CHECK(root.host().full_sockets == 3U);
    root.put("proc/net/snmp6", "Ip6InReceives 9\nUdp6RcvbufErrors                \t2\n");
    root.put("proc/sys/net/core/rmem_default", "212992\n");
    CHECK(root.host().full_sockets == 5U);
    CHECK(root.host().socket_buffer == 212'992U);
    root.put("proc/net/snmp", "Udp: InDatagrams RcvbufErrors\nUdp: 10\n");
    CHECK_FALSE(root.host().full_sockets);
}

TEST_CASE("the kernel's version is read from its release")
{
    FakeRoot root;
    root.put("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    CHECK(root.host().kernel == "6.1.0-18-amd64");
    CHECK(root.host().version == KernelVersion{.major = 6, .minor = 1});
    root.put("proc/sys/kernel/osrelease", "custom\n");
    CHECK(root.host().kernel == "custom");
    CHECK_FALSE(root.host().version);
}

TEST_CASE("what the process is allowed is read from its status and limits")
{
    FakeRoot root;
    root.put("proc/self/status", "Name:\tdnsgauge\nCapInh:\t0000000000000001\n"
                                 "CapEff:\t0000008000003000\nCpus_allowed:\t3\n"
                                 "Cpus_allowed_list:\t0-1\n");
    CHECK(root.host().cpus == std::vector<unsigned>{0, 1});
    CHECK(root.host().capabilities == 0x8000003000U);
    root.put("proc/self/status", "Cpus_allowed_list:\t4,63-64\n");
    CHECK(root.host().cpus == std::vector<unsigned>{4, 63, 64});

    const std::string head = "Limit                     Soft Limit           Hard Limit\n";
    root.put("proc/self/limits", head + "Max locked memory         8388608              "
                                        "unlimited            bytes\n");
    REQUIRE(root.host().locked_memory);
    CHECK_FALSE(root.host().locked_memory->is_unlimited);
    CHECK(root.host().locked_memory->bytes == 8'388'608);
    root.put("proc/self/limits", head + "Max locked memory         unlimited            "
                                        "unlimited            bytes\n");
    CHECK(root.host().locked_memory->is_unlimited);
}

TEST_CASE("idle states: those that some CPU may enter")
{
    FakeRoot root;
    CHECK(root.host().idle_states.empty());
    for (const int i : {0, 1}) {
        const std::string folder = cpu + "cpu" + std::to_string(i) + "/cpuidle/state";
        root.put(folder + "0/name", "POLL\n");
        root.put(folder + "0/latency", "0\n");
        root.put(folder + "0/disable", "0\n");
        root.put(folder + "1/name", "C6\n");
        root.put(folder + "1/latency", "133\n");
        root.put(folder + "1/disable", i == 0 ? "1\n" : "0\n");
    }
    const IdleState poll{"POLL", 0};
    CHECK(root.host().idle_states == std::vector<IdleState>{poll, {"C6", 133}});
    root.put(cpu + "cpu1/cpuidle/state1/disable", "1\n");
    CHECK(root.host().idle_states == std::vector<IdleState>{poll});
}

TEST_CASE("CPUs: cores that are shared, governors, those kept free")
{
    FakeRoot root;
    for (const int i : {0, 1, 2, 3}) {
        const std::string folder = cpu + "cpu" + std::to_string(i);
        root.put(folder + "/topology/thread_siblings", i % 2 == 0 ? "5\n" : "a\n");
        root.put(folder + "/cpufreq/scaling_governor", i == 3 ? "powersave\n" : "performance\n");
    }
    root.put(cpu + "cpufreq/boost", "1\n"); // a folder that is no CPU's
    root.put(cpu + "isolated", "2-3\n");
    root.put(cpu + "nohz_full", "  (null)\n");
    const HostFacts facts = root.host();
    CHECK(facts.shared_cores == std::vector<std::string>{"0,2", "1,3"});
    CHECK(facts.governors == std::map<std::string, unsigned>{{"performance", 3}, {"powersave", 1}});
    CHECK(facts.isolated_cpus == "2-3");
    CHECK(facts.tickless_cpus.empty());

    for (const int i : {0, 1, 2, 3})
        root.put(cpu + "cpu" + std::to_string(i) + "/topology/thread_siblings",
                 std::to_string(1 << i) + "\n");
    root.put(cpu + "nohz_full", "3\n");
    CHECK(root.host().shared_cores.empty());
    CHECK(root.host().tickless_cpus == "3");
}

TEST_CASE("a hypervisor is told by a flag of the CPU, as a word")
{
    FakeRoot root;
    root.put("proc/cpuinfo", "model name\t: A CPU\nflags\t\t: fpu hypervisor sse\n");
    CHECK(root.host().is_virtual == true);
    root.put("proc/cpuinfo", "flags\t\t: fpu sse\nvmx flags\t: hypervisor\n");
    CHECK(root.host().is_virtual == false);
    root.put("proc/cpuinfo", "CPU architecture: 8\n");
    CHECK_FALSE(root.host().is_virtual);
}

TEST_CASE("irqbalance is found by its name among the processes")
{
    FakeRoot root;
    root.put("proc/1/comm", "systemd\n");
    root.put("proc/irq/comm", "irqbalance\n"); // no process
    CHECK_FALSE(root.host().irqbalance_runs);
    root.put("proc/417/comm", "irqbalance\n");
    CHECK(root.host().irqbalance_runs);
}

TEST_CASE("programs that keep the wall clock right are named, each once")
{
    FakeRoot root;
    root.put("proc/1/comm", "systemd\n");
    CHECK(read_wall_clock(root.path()).programs.empty());
    root.put("proc/300/comm", "ptp4l\n");
    root.put("proc/301/comm", "ptp4l\n");
    root.put("proc/417/comm", "chronyd\n");
    root.put("proc/self/comm", "ntpd\n");
    const WallClock clock = read_wall_clock(root.path());
    CHECK(clock.programs == std::vector<std::string>{"chronyd", "ptp4l"});
    // The kernel of this machine tells the rest, to everybody.
    CHECK(clock.is_synchronised.has_value());
}

TEST_CASE("clock, huge pages and the compiler of BPF programs")
{
    FakeRoot root;
    const std::string clocks = "sys/devices/system/clocksource/clocksource0/";
    root.put(clocks + "current_clocksource", "hpet\n");
    root.put(clocks + "available_clocksource", "tsc hpet acpi_pm \n");
    root.put("proc/meminfo", "MemTotal:  1 kB\nHugePages_Total:      64\nHugePages_Free:       60\n"
                             "Hugepagesize:       2048 kB\n");
    root.put("proc/sys/net/core/bpf_jit_enable", "0\n");
    const HostFacts facts = root.host();
    CHECK(facts.clocksource == "hpet");
    CHECK(facts.clocksources == "tsc hpet acpi_pm");
    REQUIRE(facts.huge_pages);
    CHECK(facts.huge_pages->total == 64);
    CHECK(facts.huge_pages->free == 60);
    CHECK(facts.huge_pages->size_kib == 2048);
    CHECK(facts.bpf_jit_setting == 0U);
}

TEST_CASE("the device's node and its CPUs, as far as the process may use them")
{
    FakeRoot root;
    for (const int i : {0, 1, 2, 3})
        root.put(cpu + "cpu" + std::to_string(i) + "/topology/thread_siblings",
                 std::to_string(1 << i) + "\n");
    root.put("proc/self/status", "Cpus_allowed_list:\t0-2\n");
    root.put("sys/devices/system/node/node0/cpumap", "3\n");
    root.put("sys/devices/system/node/node1/cpumap", "c\n");
    const HostFacts host = root.host();
    InterfaceFacts facts;
    facts.link.interface.name = "eth1";
    SECTION("nothing is told")
    {
        read_device_files(facts, host, root.path());
        CHECK_FALSE(facts.threaded);
        CHECK_FALSE(facts.numa_node);
    }
    SECTION("there is no node")
    {
        root.put("sys/class/net/eth1/device/numa_node", "-1\n");
        read_device_files(facts, host, root.path());
        CHECK_FALSE(facts.numa_node);
    }
    SECTION("the node is one that the machine does not have")
    {
        root.put("sys/class/net/eth1/device/numa_node", "7\n");
        read_device_files(facts, host, root.path());
        CHECK_FALSE(facts.numa_node);
    }
    SECTION("a device that lacks what zero-copy needs")
    {
        facts.link.interface.driver = "virtio_net";
        root.put("sys/class/net/eth1/device/features", std::string(64, '0') + "\n");
        read_device_files(facts, host, root.path());
        CHECK_THAT(facts.zero_copy_obstacle, Contains("VIRTIO_F_ACCESS_PLATFORM"));
    }
    SECTION("there is one")
    {
        root.put("sys/class/net/eth1/threaded", "1\n");
        root.put("sys/class/net/eth1/device/numa_node", "1\n");
        read_device_files(facts, host, root.path());
        CHECK(facts.threaded == true);
        CHECK(facts.numa_node == 1U);
        CHECK(facts.node_cpus == "2-3");
        CHECK(facts.near_cpus == std::vector<unsigned>{2});
    }
}
