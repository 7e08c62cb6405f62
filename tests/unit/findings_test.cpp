// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"
#include "machine/findings.h"

#include <catch2/catch.hpp>
#include <linux/capability.h>

#include <algorithm>
#include <set>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

constexpr std::uint64_t bit(unsigned number)
{
    return std::uint64_t{1} << number;
}

constexpr std::uint64_t capabilities_needed =
    bit(CAP_NET_ADMIN) | bit(CAP_NET_RAW) | bit(CAP_BPF) | bit(CAP_PERFMON);

ethtool_ringparam rings(std::uint32_t rx, std::uint32_t tx, std::uint32_t rx_most,
                        std::uint32_t tx_most)
{
    ethtool_ringparam rings{};
    rings.rx_pending = rx;
    rings.tx_pending = tx;
    rings.rx_max_pending = rx_most;
    rings.tx_max_pending = tx_most;
    return rings;
}

// Facts of a card with eight queues in a host with four CPUs, with the right settings.
Facts good_facts()
{
    Facts facts;
    InterfaceFacts &card = facts.interface;
    card.link.interface.name = "eth1";
    card.link.interface.driver = "ice";
    card.link.interface.mtu = 1500;
    card.link.interface.speed_mbps = 25'000;
    card.link.interface.rx_queues = 4;
    card.link.interface.tx_queues = 4;
    card.link.is_up = true;
    card.link.has_carrier = true;
    card.link.qdisc = "mq";
    card.bus = "0000:01:00.0";
    card.channels = {.rx = 4, .tx = 4, .rx_most = 8, .tx_most = 8, .are_combined = true};
    card.rings = rings(2048, 2048, 8192, 8192);
    card.hash_udp4 = {.addresses = true, .ports = true};
    card.hash_udp6 = {.addresses = true, .ports = true};
    card.indirection = {0, 1, 2, 3, 0, 1, 2, 3};
    card.coalescing.emplace().rx_coalesce_usecs = 8;
    card.pause.emplace();
    card.timestamping = {
        .hardware_tx = true, .hardware_rx_all = true, .hardware_rx_ptp = false, .clock = 0};
    card.features = {{"rx-gro", {.is_on = true, .is_fixed = false}},
                     {"rx-lro", {.is_on = false, .is_fixed = false}},
                     {"rx-gro-hw", {.is_on = false, .is_fixed = true}},
                     {"rx-vlan-hw-parse", {.is_on = false, .is_fixed = false}}};
    card.xdp = {.native = true,
                .zero_copy = true,
                .rx_timestamp = true,
                .rx_hash = true,
                .rx_vlan_tag = true,
                .tx_timestamp = true,
                .tx_checksum = true};
    card.af_xdp = true;
    card.threaded = false;
    card.numa_node = 0;
    card.node_cpus = "0-3";
    card.near_cpus = {0, 1, 2, 3};

    HostFacts &host = facts.host;
    host.kernel = "6.18.0";
    host.version = {.major = 6, .minor = 18};
    host.cpus = {0, 1, 2, 3};
    host.governors = {{"performance", 4}};
    host.idle_states = {{"POLL", 0}};
    host.isolated_cpus = "2-3";
    host.clocksource = "tsc";
    host.clocksources = "tsc hpet acpi_pm";
    host.is_virtual = false;
    host.huge_pages = {.total = 64, .free = 64, .size_kib = 2048};
    host.full_sockets = 0;
    host.socket_buffer = 212'992;
    host.bpf_jit_setting = 1;
    host.bpf_is_compiled = true;
    host.takes_call_filters = true;
    host.capabilities = capabilities_needed;
    host.locked_memory = {.is_unlimited = true, .bytes = 0};
    return facts;
}

// Facts of one end of a veth pair, with the settings of tools/lab for the Tester's end.
Facts veth_facts()
{
    Facts facts = good_facts();
    facts.interface = {};
    InterfaceFacts &end = facts.interface;
    end.link.interface.name = "g0";
    end.link.interface.driver = "veth";
    end.link.interface.mtu = 1500;
    end.link.interface.speed_mbps = 10'000;
    end.link.interface.rx_queues = 1;
    end.link.interface.tx_queues = 1;
    end.link.is_up = true;
    end.link.has_carrier = true;
    end.link.qdisc = "pfifo";
    end.channels = {.rx = 1, .tx = 1, .rx_most = 1, .tx_most = 1, .are_combined = false};
    end.features = {{"rx-gro", {.is_on = true, .is_fixed = false}}};
    end.xdp = {.native = true};
    end.af_xdp = true;
    end.threaded = false;
    return facts;
}

bool has_finding(const Facts &facts, const std::string &topic)
{
    const Diagnosis diagnosis = diagnose(facts);
    return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                       [&](const Finding &finding) { return finding.topic == topic; });
}

Finding finding(const Facts &facts, const std::string &topic)
{
    for (const Finding &found : diagnose(facts).findings)
        if (found.topic == topic)
            return found;
    FAIL("no finding about " << topic);
    return {};
}

void check(const Facts &facts, const std::string &topic, Severity severity,
           const std::string &command)
{
    const Finding found = finding(facts, topic);
    INFO(topic << ": " << found.seen);
    CHECK(found.severity == severity);
    CHECK(found.command == command);
}

void check_unknown(const Facts &facts, const std::string &topic)
{
    const Finding found = finding(facts, topic);
    INFO(topic << ": " << found.seen);
    CHECK(found.severity == Severity::note);
    CHECK_FALSE(found.is_known);
    CHECK(found.command.empty());
}

// Returns a probe of a server with two threads, which answered all of 100,000 queries in a second.
// The probe watched for longer.
LoadedProbe good_probe()
{
    LoadedProbe probed{.probe = {.interface = "d0",
                                 .port = 53,
                                 .duration = Nanoseconds(1'500'000'000),
                                 .arrived = 100'000,
                                 .followed = 100'000,
                                 .left = 100'000},
                       .load = Nanoseconds(1'000'000'000)};
    for (const std::uint32_t number : {8U, 9U})
        probed.probe.threads.push_back({.process = 7,
                                        .thread = number,
                                        .name = "nsd",
                                        .queries = 50'000,
                                        .ran = Nanoseconds(400'000'000),
                                        .waited = Nanoseconds(10'000'000)});
    return probed;
}

Finding finding(const LoadedProbe &probed, const std::string &topic)
{
    for (const Finding &found : probe_findings(probed))
        if (found.topic == topic)
            return found;
    FAIL("no finding about " << topic);
    return {};
}

} // namespace

TEST_CASE("nothing is wrong with what is right")
{
    const Diagnosis diagnosis = diagnose(good_facts());
    CHECK(diagnosis.interface == "eth1");
    CHECK(diagnosis.driver == "ice");
    CHECK(diagnosis.kernel == "6.18.0");
    std::set<std::string> topics;
    for (const Finding &found : diagnosis.findings) {
        INFO(found.topic << ": " << found.seen);
        CHECK(found.severity == Severity::ok);
        CHECK(found.is_known);
        CHECK(found.command.empty());
        CHECK_FALSE(found.seen.empty());
        CHECK_FALSE(found.why.empty());
        CHECK(topics.insert(found.topic).second);
    }
}

TEST_CASE("what nobody tells is a note, and no fault")
{
    Facts facts;
    facts.interface.link.interface.name = "eth1";
    facts.interface.link.interface.rx_queues = 2;
    facts.interface.link.interface.mtu = 1500;
    facts.interface.link.is_up = true;
    facts.interface.link.has_carrier = true;
    facts.interface.bus = "virtio0";
    for (const char *topic :
         {"native-xdp",  "af-xdp",       "zero-copy",       "xdp-metadata",   "timestamps",
          "queues",      "rss-udp4",     "rss-udp6",        "rss-table",      "rings",
          "coalescing",  "flow-control", "merging",         "vlan-stripping", "numa",
          "kernel",      "capabilities", "locked-memory",   "bpf-jit",        "governor",
          "idle-states", "clocksource",  "virtual-machine", "system-calls",   "huge-pages",
          "udp-sockets"})
        check_unknown(facts, topic);
    const Diagnosis diagnosis = diagnose(facts);
    CHECK(diagnosis.count(Severity::warn) == 0);
    CHECK(diagnosis.count(Severity::fail) == 0);
}

TEST_CASE("link: up, with a carrier")
{
    Facts facts = good_facts();
    CHECK_THAT(finding(facts, "link").seen, Contains("25000 Mbit/s"));
    facts.interface.link.interface.speed_mbps = 0;
    CHECK_THAT(finding(facts, "link").seen, Contains("not reported"));
    facts.interface.link.has_carrier = false;
    check(facts, "link", Severity::fail, "");
    facts.interface.link.is_up = false;
    check(facts, "link", Severity::fail, "ip link set dev eth1 up");
}

TEST_CASE("MTU: enough for IPv6, not too much for XDP")
{
    Facts facts = good_facts();
    facts.interface.link.interface.mtu = GENERATE(1280U, 1400U, 3000U);
    check(facts, "mtu", Severity::ok, "");
    facts.interface.link.interface.mtu = GENERATE(1279U, 3001U, 9000U);
    check(facts, "mtu", Severity::warn, "ip link set dev eth1 mtu 1500");
}

TEST_CASE("an XDP program that is there must go, by what holds it")
{
    Facts facts = good_facts();
    facts.role = Role::tester;
    facts.interface.program = AttachedProgram{.id = 12, .name = "fakedns"};
    check(facts, "xdp-program", Severity::fail, "ip link set dev eth1 xdp off");
    CHECK_THAT(finding(facts, "xdp-program").seen,
               Contains("fakedns") && Contains("id 12") && Contains("native"));
    facts.interface.program->mode = XdpMode::generic;
    check(facts, "xdp-program", Severity::fail, "ip link set dev eth1 xdpgeneric off");
    facts.interface.program->way_in = "ip netns exec dut ";
    check(facts, "xdp-program", Severity::fail,
          "ip netns exec dut ip link set dev eth1 xdpgeneric off");
    // The number of a BPF link is the same in every namespace.
    facts.interface.program->links = {5};
    check(facts, "xdp-program", Severity::fail, "bpftool link detach id 5");
    CHECK_THAT(finding(facts, "xdp-program").seen, Contains("BPF link 5)"));
    facts.interface.program->links = {5, 7};
    CHECK_THAT(finding(facts, "xdp-program").seen, Contains("BPF link 5 or 7)"));
    CHECK_THAT(finding(facts, "xdp-program").command,
               Contains("id 5 or 7: the right link belongs to a process") &&
                   Contains("/proc/PID/ns/net is net:["));
}

TEST_CASE("a server's XDP program belongs on the server's interface")
{
    Facts facts = good_facts();
    facts.interface.program = AttachedProgram{.id = 12, .name = "fakedns"};
    check(facts, "xdp-program", Severity::note, "");
    CHECK_THAT(finding(facts, "xdp-program").seen, Contains("stop fakedns"));
    facts.interface.program->name = "somebody's";
    check(facts, "xdp-program", Severity::fail, "ip link set dev eth1 xdp off");
    facts.role = Role::dut;
    check(facts, "xdp-program", Severity::ok, "");
}

TEST_CASE("XDP and AF_XDP: what the driver and the kernel can")
{
    Facts facts = good_facts();
    facts.interface.xdp->zero_copy = false;
    check(facts, "zero-copy", Severity::note, "");
    check(facts, "native-xdp", Severity::ok, "");
    facts.interface.xdp->zero_copy = true;
    check(facts, "zero-copy", Severity::ok, "");
    facts.interface.zero_copy_obstacle = "this device lacks a feature";
    check(facts, "zero-copy", Severity::note, "");
    CHECK(finding(facts, "zero-copy").seen ==
          "the driver has it, but this device lacks a feature: AF_XDP copies");
    facts.interface.xdp = XdpFeatures{};
    check(facts, "native-xdp", Severity::warn, "");
    check(facts, "xdp-metadata", Severity::note, "");
    facts.interface.xdp->tx_timestamp = true;
    CHECK(finding(facts, "xdp-metadata").seen == "transmit time");
    facts.interface.af_xdp = false;
    check(facts, "af-xdp", Severity::fail, "");
}

TEST_CASE("timestamps of PTP packets alone are not enough")
{
    Facts facts = good_facts();
    CHECK_THAT(finding(facts, "timestamps").seen, Contains("/dev/ptp0"));
    facts.interface.timestamping->hardware_rx_all = false;
    check(facts, "timestamps", Severity::note, "");
    CHECK_THAT(finding(facts, "timestamps").seen, Contains("received no"));
    facts.interface.timestamping->hardware_rx_ptp = true;
    CHECK_THAT(finding(facts, "timestamps").seen, Contains("PTP"));
    facts.interface.timestamping = Timestamping{};
    check(facts, "timestamps", Severity::note, "");
    CHECK_THAT(finding(facts, "timestamps").seen, Contains("software only"));
}

TEST_CASE("queues: as many as CPUs, where there can be")
{
    Facts facts = good_facts();
    Channels &channels = facts.interface.channels;
    channels.rx = channels.tx = 3;
    check(facts, "queues", Severity::note, "ethtool -L eth1 combined 4");
    channels.rx = channels.tx = 1;
    check(facts, "queues", Severity::warn, "ethtool -L eth1 combined 4");
    channels.rx_most = channels.tx_most = 2;
    check(facts, "queues", Severity::warn, "ethtool -L eth1 combined 2");
    channels.rx_most = channels.tx_most = 1;
    check(facts, "queues", Severity::ok, "");
    channels = {.rx = 8, .tx = 2, .rx_most = 8, .tx_most = 8, .are_combined = false};
    check(facts, "queues", Severity::note, "ethtool -L eth1 rx 8 tx 4");
    channels.tx = 8;
    check(facts, "queues", Severity::ok, "");
}

TEST_CASE("RSS: ports count, for each family, where there are queues to choose from")
{
    Facts facts = good_facts();
    facts.interface.hash_udp4->ports = false;
    check(facts, "rss-udp4", Severity::warn, "ethtool -N eth1 rx-flow-hash udp4 sdfn");
    check(facts, "rss-udp6", Severity::ok, "");
    facts.interface.hash_udp6 = FlowHash{};
    check(facts, "rss-udp6", Severity::warn, "ethtool -N eth1 rx-flow-hash udp6 sdfn");
    facts.interface.hash_udp4 = FlowHash{.addresses = false, .ports = true};
    check(facts, "rss-udp4", Severity::ok, "");
    facts.interface.link.interface.rx_queues = 1;
    check(facts, "rss-udp6", Severity::ok, "");
    facts.interface.hash_udp6.reset();
    check(facts, "rss-udp6", Severity::ok, "");
}

TEST_CASE("RSS: the table leads to every queue")
{
    Facts facts = good_facts();
    facts.interface.indirection = {0, 1, 2, 2};
    check(facts, "rss-table", Severity::warn, "ethtool -X eth1 equal 4");
    facts.interface.indirection = {0, 1}; // shorter than there are queues
    check(facts, "rss-table", Severity::ok, "");
    facts.interface.indirection.clear();
    check_unknown(facts, "rss-table");
    facts.interface.link.interface.rx_queues = 1;
    check(facts, "rss-table", Severity::ok, "");
}

TEST_CASE("rings: long enough, where they can be")
{
    Facts facts = good_facts();
    facts.interface.rings->rx_pending = 1024;
    check(facts, "rings", Severity::ok, "");
    facts.interface.rings->rx_pending = 1023;
    check(facts, "rings", Severity::warn, "ethtool -G eth1 rx 4096 tx 4096");
    facts.interface.rings = rings(8192, 512, 8192, 1024);
    check(facts, "rings", Severity::warn, "ethtool -G eth1 rx 8192 tx 1024");
    facts.interface.rings = rings(256, 256, 256, 256);
    check(facts, "rings", Severity::ok, "");
}

TEST_CASE("interrupts do not wait long, nor adapt")
{
    Facts facts = good_facts();
    facts.interface.coalescing->rx_coalesce_usecs = 20;
    check(facts, "coalescing", Severity::ok, "");
    facts.interface.coalescing->rx_coalesce_usecs = 21;
    check(facts, "coalescing", Severity::warn, "ethtool -C eth1 rx-usecs 10");
    facts.interface.coalescing.emplace().use_adaptive_rx_coalesce = 1;
    check(facts, "coalescing", Severity::warn, "ethtool -C eth1 adaptive-rx off rx-usecs 10");
}

TEST_CASE("flow control is off both ways")
{
    Facts facts = good_facts();
    facts.interface.pause->rx_pause = GENERATE(0U, 1U);
    facts.interface.pause->tx_pause = facts.interface.pause->rx_pause ^ 1U;
    check(facts, "flow-control", Severity::warn, "ethtool -A eth1 autoneg off rx off tx off");
}

TEST_CASE("packets are not merged; what is fixed has no command")
{
    Facts facts = good_facts();
    facts.interface.features["rx-gro-hw"].is_on = true;
    check(facts, "merging", Severity::warn, "");
    facts.interface.features["rx-lro"].is_on = true;
    check(facts, "merging", Severity::warn, "ethtool -K eth1 lro off");
    facts.interface.features["rx-gro-hw"].is_fixed = false;
    check(facts, "merging", Severity::warn, "ethtool -K eth1 lro off rx-gro-hw off");
    facts.interface.features["rx-vlan-hw-parse"].is_on = true;
    check(facts, "vlan-stripping", Severity::note, "ethtool -K eth1 rxvlan off");
    facts.interface.features["rx-vlan-hw-parse"].is_fixed = true;
    check(facts, "vlan-stripping", Severity::note, "");
}

TEST_CASE("the device's node is where the process runs")
{
    Facts facts = good_facts();
    facts.interface.numa_node = 1;
    facts.interface.node_cpus = "2-5";
    facts.interface.near_cpus = {2, 3};
    check(facts, "numa", Severity::note, "taskset -c 2-5 dnsgauge trial ...");
    facts.interface.near_cpus.clear();
    check(facts, "numa", Severity::warn, "taskset -c 2-5 dnsgauge trial ...");
}

TEST_CASE("veth: a queue, GRO, threads; none of what only hardware has")
{
    Facts facts = veth_facts();
    CHECK(diagnose(facts).count(Severity::warn) == 0);
    CHECK(diagnose(facts).count(Severity::fail) == 0);
    CHECK_FALSE(has_finding(facts, "vlan-stripping"));
    CHECK_FALSE(has_finding(facts, "numa"));
    for (const char *topic : {"rings", "coalescing", "flow-control", "timestamps"})
        check_unknown(facts, topic);
    for (const char *topic : {"qdisc", "gro", "napi-threads"})
        CHECK_FALSE(has_finding(good_facts(), topic));

    facts.interface.link.qdisc = GENERATE("noqueue", "noop");
    check(facts, "qdisc", Severity::warn, "tc qdisc replace dev g0 root pfifo limit 1000");
    facts.role = Role::dut;
    check(facts, "qdisc", Severity::note, "tc qdisc replace dev g0 root pfifo limit 1000");
    check(facts, "napi-threads", Severity::note, "echo 1 >/sys/class/net/g0/threaded");
    facts.interface.threaded = true;
    check(facts, "napi-threads", Severity::ok, "");
    facts.role = Role::tester;
    check(facts, "napi-threads", Severity::note, "echo 0 >/sys/class/net/g0/threaded");
    facts.interface.threaded = false;
    check(facts, "napi-threads", Severity::ok, "");
    facts.role = Role::unknown;
    facts.host.version = {.major = 6, .minor = 15};
    check(facts, "qdisc", Severity::note, "");
    facts.interface.features["rx-gro"].is_on = false;
    check(facts, "gro", Severity::warn, "ethtool -K g0 gro on");
    check(facts, "napi-threads", Severity::note, "echo 1 >/sys/class/net/g0/threaded");
    facts.interface.threaded = true;
    check(facts, "napi-threads", Severity::note, "echo 0 >/sys/class/net/g0/threaded");
    facts.interface.threaded.reset();
    check_unknown(facts, "napi-threads");
}

TEST_CASE("kernel: Debian 12's or later")
{
    Facts facts = good_facts();
    facts.host.version = {.major = 6, .minor = 1};
    check(facts, "kernel", Severity::ok, "");
    facts.host.version = {.major = 5, .minor = 19};
    check(facts, "kernel", Severity::warn, "");
}

TEST_CASE("capabilities: each of them is needed")
{
    Facts facts = good_facts();
    const auto missing = GENERATE(as<unsigned>{}, CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF, CAP_PERFMON);
    facts.host.capabilities = capabilities_needed & ~bit(missing);
    check(facts, "capabilities", Severity::fail, "sudo dnsgauge trial ...");
    facts.host.capabilities = 0;
    CHECK_THAT(finding(facts, "capabilities").seen,
               Contains("CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF, CAP_PERFMON"));
}

TEST_CASE("locked memory: enough, or CAP_IPC_LOCK")
{
    Facts facts = good_facts();
    facts.host.locked_memory = {.is_unlimited = false, .bytes = 64U << 20U};
    check(facts, "locked-memory", Severity::ok, "");
    facts.host.locked_memory->bytes--;
    check(facts, "locked-memory", Severity::warn, "sudo prlimit --pid $$ --memlock=unlimited");
    *facts.host.capabilities |= bit(CAP_IPC_LOCK);
    check(facts, "locked-memory", Severity::ok, "");
}

TEST_CASE("BPF programs are compiled; in a network namespace the setting is elsewhere")
{
    Facts facts = good_facts();
    facts.host.bpf_jit_setting = 0;
    check(facts, "bpf-jit", Severity::warn, "sysctl -w net.core.bpf_jit_enable=1");
    facts.host.bpf_jit_setting.reset();
    check(facts, "bpf-jit", Severity::ok, "");
    facts.host.bpf_is_compiled = false;
    check(facts, "bpf-jit", Severity::warn,
          "nsenter --target 1 --net sysctl -w net.core.bpf_jit_enable=1");
}

TEST_CASE("a kernel without filters of system calls is told of, and no fault")
{
    Facts facts = good_facts();
    check(facts, "system-calls", Severity::ok, "");
    facts.host.takes_call_filters = false;
    check(facts, "system-calls", Severity::note, "");
    CHECK_THAT(finding(facts, "system-calls").seen, Contains("refuse"));
}

TEST_CASE("irqbalance disturbs interfaces that have interrupts")
{
    Facts facts = GENERATE(good_facts(), veth_facts());
    const bool has_interrupts = !facts.interface.bus.empty();
    check(facts, "irqbalance", Severity::ok, "");
    facts.host.irqbalance_runs = true;
    if (has_interrupts)
        check(facts, "irqbalance", Severity::warn, "systemctl stop irqbalance");
    else
        check(facts, "irqbalance", Severity::note, "");
}

TEST_CASE("idle CPUs that sleep: the deeper, the worse")
{
    const std::string command =
        "echo 1 | tee /sys/devices/system/cpu/cpu*/cpuidle/state[1-9]*/disable";
    Facts facts = good_facts();
    CHECK(finding(facts, "idle-states").severity == Severity::ok);
    facts.host.idle_states.push_back({"C1", 2});
    check(facts, "idle-states", Severity::note, command);
    facts.host.idle_states.push_back({"C6", 133});
    check(facts, "idle-states", Severity::warn, command);
    CHECK(finding(facts, "idle-states").seen == "C6, 133 us to wake up");
}

TEST_CASE("every CPU's governor is performance")
{
    const std::string command =
        "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    Facts facts = good_facts();
    facts.host.governors = {{"performance", 3}, {"powersave", 1}};
    check(facts, "governor", Severity::warn, command);
    CHECK(finding(facts, "governor").seen == "performance on 3 CPUs, powersave on 1 CPU");
    facts.host.governors = {{"schedutil", 4}};
    check(facts, "governor", Severity::warn, command);
}

TEST_CASE("CPUs that share cores, and CPUs that are kept free")
{
    Facts facts = good_facts();
    facts.host.shared_cores = {"0,4", "1,5", "2,6", "3,7", "8,9"};
    check(facts, "smt", Severity::warn, "echo off >/sys/devices/system/cpu/smt/control");
    CHECK(finding(facts, "smt").seen == "5 cores of several CPUs: 0,4 1,5 2,6 3,7 ...");
    facts.host.isolated_cpus.clear();
    check(facts, "isolation", Severity::note, "");
    facts.host.tickless_cpus = "3";
    check(facts, "isolation", Severity::ok, "");
    CHECK(finding(facts, "isolation").seen == "isolcpus none, nohz_full 3");
}

TEST_CASE("the clock is quick to read, or can be made so")
{
    Facts facts = good_facts();
    facts.host.clocksource = GENERATE("kvm-clock", "arch_sys_counter");
    check(facts, "clocksource", Severity::ok, "");
    facts.host.clocksource = "hpet";
    check(facts, "clocksource", Severity::warn,
          "echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource");
    facts.host.clocksources = "hpet acpi_pm";
    check(facts, "clocksource", Severity::warn, "");
}

TEST_CASE("a virtual machine and missing huge pages are noted")
{
    Facts facts = good_facts();
    facts.host.is_virtual = true;
    check(facts, "virtual-machine", Severity::note, "");
    facts.host.huge_pages = {.total = 8, .free = 0, .size_kib = 2048};
    check(facts, "huge-pages", Severity::note, "sysctl -w vm.nr_hugepages=72");
}

TEST_CASE("full UDP sockets are a server's matter")
{
    Facts facts = good_facts();
    facts.host.full_sockets = 1;
    check(facts, "udp-sockets", Severity::note, "sysctl -w net.core.rmem_default=4194304");
    CHECK_THAT(finding(facts, "udp-sockets").seen,
               Contains("1 datagram found") && Contains("212992 octets") && Contains("hold 277"));
    facts.role = Role::dut;
    check(facts, "udp-sockets", Severity::warn, "sysctl -w net.core.rmem_default=4194304");
    facts.host.socket_buffer.reset();
    CHECK_THAT(finding(facts, "udp-sockets").seen, !Contains("octets"));
    facts.role = Role::tester;
    CHECK_FALSE(has_finding(facts, "udp-sockets"));
}

TEST_CASE("a probe's figures are judged: nothing is wrong with a server that has time")
{
    const std::vector<Finding> findings = probe_findings(good_probe());
    CHECK(findings.size() == 4);
    for (const Finding &found : findings) {
        INFO(found.topic << ": " << found.seen);
        CHECK(found.severity == Severity::ok);
        CHECK(found.command.empty());
    }
    CHECK_THAT(finding(good_probe(), "server-cpus").seen,
               Contains("8 us of CPU a query, 0.80 CPUs for 100000 queries/s") &&
                   Contains("ran for 40 % of the time, of 2 threads that read"));
    LoadedProbe idle = good_probe();
    idle.probe.threads.clear();
    CHECK_FALSE(finding(idle, "server-cpus").is_known);
    CHECK(probe_findings(idle).size() == 2);
}

TEST_CASE("a full socket needs a buffer for what it dropped, unless the server had no time left")
{
    LoadedProbe probed = good_probe();
    ProbeResult &probe = probed.probe;
    probe.sockets = {{.inode = 1, .process = 7, .name = "nsd", .drops = 100, .buffer = 212'992}};
    Finding found = finding(probed, "server-sockets");
    CHECK(found.severity == Severity::warn);
    // 212,992 octets and 100 times 768, rounded up.
    CHECK(found.command == "sysctl -w net.core.rmem_default=524288");
    CHECK_THAT(found.seen, Contains("100 datagrams found a full socket of nsd"));
    // A thread that had its CPU, or waited for it, all the time.
    probe.threads[1].ran = Nanoseconds(10'000'000);
    probe.threads[1].waited = Nanoseconds(940'000'000);
    found = finding(probed, "server-sockets");
    CHECK(found.command.empty());
    CHECK_THAT(found.seen, Contains("the server had no time left"));
}

TEST_CASE("nothing is judged by what the server's kernel does not tell")
{
    LoadedProbe probed = good_probe();
    probed.probe.lacks = {"sched_waking", "udp_fail_queue_rcv_skb"};
    for (ProbedThread &thread : probed.probe.threads)
        thread.has_times = false;
    for (const char *topic : {"server-sockets", "server-cpus", "server-waits"})
        CHECK_FALSE(finding(probed, topic).is_known);
    CHECK(finding(probed, "server-steering").is_known);
}

TEST_CASE("a probe's figures are judged: CPUs, steering and waits")
{
    LoadedProbe probed = good_probe();
    ProbeResult &probe = probed.probe;
    probe.threads[1].ran = Nanoseconds(950'000'000);
    Finding found = finding(probed, "server-cpus");
    CHECK(found.severity == Severity::warn);
    CHECK_THAT(found.seen, Contains("1.35 CPUs for 100000 queries/s; nsd (9) ran for 95 %"));
    // The threads' time is for all queries, of which a tenth was followed.
    probe.followed = 10'000;
    for (ProbedThread &thread : probe.threads)
        thread.queries /= 10;
    CHECK_THAT(finding(probed, "server-cpus").seen, Contains("1.35 CPUs"));

    // As many again came, and were lost.
    probe.arrived = 200'000;
    probe.followed = 20'000;
    CHECK_THAT(finding(probed, "server-cpus").seen,
               Contains("2.70 CPUs") &&
                   Contains("need 3 such threads, each with a CPU of its own"));

    probe.threads[0].queries = 7'500;
    probe.threads[1].queries = 2'500;
    CHECK(finding(probed, "server-steering").severity == Severity::ok);
    probe.threads[0].queries = 7'501;
    found = finding(probed, "server-steering");
    CHECK(found.severity == Severity::warn);
    CHECK(found.seen == "nsd (8) read 75 % of the queries, of 2 threads");

    // Both read one socket, and nobody the other one.
    probe.threads[0].queries = 7'500;
    probe.sharing = {{.inode = 1, .address = "198.18.0.2", .queries = 10'000, .thread = 8},
                     {.inode = 2, .address = "198.18.0.2"}};
    found = finding(probed, "server-steering");
    CHECK(found.severity == Severity::warn);
    CHECK(found.seen == "nsd (8) read 75 % of the queries, of 2 threads; no query was read from 1 "
                        "of 2 sockets at 198.18.0.2");
    probe.threads.pop_back();
    CHECK_THAT(finding(probed, "server-steering").seen, Contains("100 % of the queries, of 1 thr"));
    probe.threads.push_back(probe.threads[0]);

    probe.threads[0].waited = Nanoseconds(50'000'000);
    CHECK(finding(probed, "server-waits").severity == Severity::ok);
    probe.threads[0].waited = Nanoseconds(50'000'001);
    CHECK(finding(probed, "server-waits").severity == Severity::warn);
}
