// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"
#include "machine/findings.h"
#include "machine/rule.h"
#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace dnsgauge
{

namespace
{

using InterfaceVerdict = std::optional<DoctorJudgement>;

constexpr unsigned mtu_least = 1280;    // RFC 8200 section 5
constexpr unsigned mtu_most = 3000;     // fits one page together with what drivers add
constexpr unsigned ring_least = 1024;   // 1 ms at 1,000,000 packets/s
constexpr unsigned ring_wanted = 4096;  // a longer ring only uses up the cache
constexpr unsigned wait_most_us = 20;   // longer waits show in an RTT of some 100 us
constexpr unsigned wait_wanted_us = 10; // of an interrupt
constexpr KernelVersion veth_holds_back{.major = 6, .minor = 16};

const std::string &name_of(const Facts &facts)
{
    return facts.interface.link.interface.name;
}

bool is_veth(const Facts &facts)
{
    return facts.interface.link.interface.driver == "veth";
}

bool has_device(const Facts &facts)
{
    return !facts.interface.bus.empty();
}

const Feature *feature(const Facts &facts, const char *name)
{
    const auto found = facts.interface.features.find(name);
    return found == facts.interface.features.end() ? nullptr : &found->second;
}

InterfaceVerdict judge_link(const Facts &facts)
{
    const LinkState &link = facts.interface.link;
    if (!link.is_up)
        return failed("down", fmt::format("ip link set dev {} up", name_of(facts)));
    if (!link.has_carrier)
        return failed("no carrier: plug the cable in, or bring the other end up");
    if (link.interface.speed_mbps == 0)
        return fine("up, speed not reported by the driver");
    return fine(fmt::format("up, {} Mbit/s", link.interface.speed_mbps));
}

InterfaceVerdict judge_mtu(const Facts &facts)
{
    const std::uint32_t mtu = facts.interface.link.interface.mtu;
    const std::string seen = fmt::format("{} octets", mtu);
    if (mtu >= mtu_least && mtu <= mtu_most)
        return fine(seen);
    return warned(seen, fmt::format("ip link set dev {} mtu 1500", name_of(facts)));
}

bool is_of_fakedns(const AttachedProgram &program)
{
    constexpr std::array<std::string_view, 4> names{"fakedns", "fakedns_faulty", "echo",
                                                    "echo_to_socket"};
    return std::ranges::find(names, program.name) != names.end();
}

InterfaceVerdict judge_program(const Facts &facts)
{
    const auto &program = facts.interface.program;
    if (!program)
        return fine("none attached");
    const std::string held =
        program->links.empty() ? "" : fmt::format(", BPF link {}", join(program->links, " or "));
    const std::string seen = fmt::format("\"{}\" is attached (id {}, {}{})", program->name,
                                         program->id, to_string(program->mode), held);
    if (facts.role == Role::dut)
        return fine(seen + ": the server answers by it");
    if (facts.role == Role::unknown && is_of_fakedns(*program))
        return noted(seen + ": fakedns answers by it; to make trials from here, stop fakedns");
    return failed(seen, detach_command(*program, name_of(facts)));
}

InterfaceVerdict judge_native_xdp(const Facts &facts)
{
    if (!facts.interface.xdp)
        return not_reported_by("kernel (Linux 6.3 and later do)");
    if (facts.interface.xdp->native)
        return fine("the driver has it");
    return warned("the driver has none: only generic XDP is left");
}

InterfaceVerdict judge_af_xdp(const Facts &facts)
{
    if (!facts.interface.af_xdp)
        return unknown("not known: this process may not open such a socket");
    if (*facts.interface.af_xdp)
        return fine("the kernel has it");
    return failed("the kernel has none: it was built without CONFIG_XDP_SOCKETS");
}

InterfaceVerdict judge_zero_copy(const Facts &facts)
{
    if (!facts.interface.xdp)
        return not_reported_by("kernel (Linux 6.3 and later do)");
    if (facts.interface.xdp->zero_copy && !facts.interface.zero_copy_obstacle.empty())
        return noted("the driver has it, but " + facts.interface.zero_copy_obstacle +
                     ": AF_XDP copies");
    if (facts.interface.xdp->zero_copy)
        return fine("the driver has it");
    return noted("the driver has none: AF_XDP copies");
}

InterfaceVerdict judge_metadata(const Facts &facts)
{
    const auto &xdp = facts.interface.xdp;
    if (!xdp)
        return not_reported_by("kernel (Linux 6.3 and later do)");
    const std::string seen = joined(std::array{std::pair{xdp->rx_timestamp, "receive time"},
                                               std::pair{xdp->rx_hash, "receive hash"},
                                               std::pair{xdp->rx_vlan_tag, "received VLAN tag"},
                                               std::pair{xdp->tx_timestamp, "transmit time"},
                                               std::pair{xdp->tx_checksum, "transmit checksum"}},
                                    [](const auto &one) { return one.first ? one.second : ""; });
    if (seen.empty())
        return noted("none from the driver");
    return fine(seen);
}

InterfaceVerdict judge_timestamps(const Facts &facts)
{
    const auto &times = facts.interface.timestamping;
    if (!times)
        return not_reported_by("driver");
    const std::string clock = times->clock ? fmt::format(", /dev/ptp{}", *times->clock) : "";
    if (times->hardware_tx && times->hardware_rx_all)
        return fine("by hardware, of any packet" + clock);
    if (times->hardware_tx || times->hardware_rx_all || times->hardware_rx_ptp)
        return noted(fmt::format("by hardware: sent {}, received {}{}",
                                 times->hardware_tx ? "yes" : "no",
                                 times->hardware_rx_all   ? "any"
                                 : times->hardware_rx_ptp ? "some kinds of packet (PTP) only"
                                                          : "no",
                                 clock));
    return noted("by software only");
}

InterfaceVerdict judge_queues(const Facts &facts)
{
    const Channels &channels = facts.interface.channels;
    const std::size_t cpus = facts.host.cpus.size();
    if (channels.rx == 0 && channels.tx == 0) {
        const Interface &interface = facts.interface.link.interface;
        return unknown(fmt::format(
            "{} receive, {} transmit; how many there could be is not reported by the driver; {}",
            interface.rx_queues, interface.tx_queues, counted(cpus, "CPU")));
    }
    const auto wanted = [cpus](unsigned now, unsigned most) {
        return std::max(now, static_cast<unsigned>(std::min<std::size_t>(most, cpus)));
    };
    const unsigned rx = wanted(channels.rx, channels.rx_most);
    const unsigned tx = wanted(channels.tx, channels.tx_most);
    DoctorJudgement judgement{Severity::ok,
                              fmt::format("{} receive (of {}), {} transmit (of {}); {}",
                                          channels.rx, channels.rx_most, channels.tx,
                                          channels.tx_most, counted(cpus, "CPU"))};
    if (channels.rx >= rx && channels.tx >= tx)
        return judgement;
    judgement.severity = std::min(channels.rx, channels.tx) <= 1 ? Severity::warn : Severity::note;
    judgement.command =
        channels.are_combined
            ? fmt::format("ethtool -L {} combined {}", name_of(facts), std::max(rx, tx))
            : fmt::format("ethtool -L {} rx {} tx {}", name_of(facts), rx, tx);
    return judgement;
}

InterfaceVerdict judge_hash(const Facts &facts, const std::optional<FlowHash> &hash,
                            const char *flow)
{
    if (facts.interface.link.interface.rx_queues <= 1)
        return fine("one receive queue: nothing to choose");
    if (!hash)
        return not_reported_by("driver");
    const char *const seen = hash->ports       ? hash->addresses ? "addresses and ports" : "ports"
                             : hash->addresses ? "addresses, not ports"
                                               : "neither addresses nor ports";
    if (hash->ports)
        return fine(seen);
    return warned(seen, fmt::format("ethtool -N {} rx-flow-hash {} sdfn", name_of(facts), flow));
}

InterfaceVerdict judge_indirection(const Facts &facts)
{
    const unsigned queues = facts.interface.link.interface.rx_queues;
    const auto &table = facts.interface.indirection;
    if (queues <= 1)
        return fine("one receive queue: nothing to choose");
    if (table.empty())
        return not_reported_by("driver");
    const std::size_t used = std::set<std::uint32_t>(table.begin(), table.end()).size();
    const std::string seen = fmt::format(
        "{} to {} of {} queues",
        table.size() == 1 ? "1 entry leads" : fmt::format("{} entries lead", table.size()), used,
        queues);
    if (used >= std::min<std::size_t>(queues, table.size()))
        return fine(seen);
    return warned(seen, fmt::format("ethtool -X {} equal {}", name_of(facts), queues));
}

InterfaceVerdict judge_rings(const Facts &facts)
{
    const auto &rings = facts.interface.rings;
    if (!rings)
        return not_reported_by("driver");
    const auto is_short = [](unsigned now, unsigned most) {
        return now < std::min(most, ring_least);
    };
    const auto wanted = [](unsigned now, unsigned most) {
        return std::max(now, std::min(most, ring_wanted));
    };
    const std::string seen =
        fmt::format("receive {} (of {}), transmit {} (of {})", rings->rx_pending,
                    rings->rx_max_pending, rings->tx_pending, rings->tx_max_pending);
    if (!is_short(rings->rx_pending, rings->rx_max_pending) &&
        !is_short(rings->tx_pending, rings->tx_max_pending))
        return fine(seen);
    return warned(seen, fmt::format("ethtool -G {} rx {} tx {}", name_of(facts),
                                    wanted(rings->rx_pending, rings->rx_max_pending),
                                    wanted(rings->tx_pending, rings->tx_max_pending)));
}

InterfaceVerdict judge_coalescing(const Facts &facts)
{
    const auto &coalescing = facts.interface.coalescing;
    if (!coalescing)
        return not_reported_by("driver");
    if (coalescing->use_adaptive_rx_coalesce != 0)
        return warned("receive interrupts adapt to the load",
                      fmt::format("ethtool -C {} adaptive-rx off rx-usecs {}", name_of(facts),
                                  wait_wanted_us));
    const std::string seen =
        fmt::format("a receive interrupt waits up to {} us", coalescing->rx_coalesce_usecs);
    if (coalescing->rx_coalesce_usecs <= wait_most_us)
        return fine(seen);
    return warned(seen, fmt::format("ethtool -C {} rx-usecs {}", name_of(facts), wait_wanted_us));
}

InterfaceVerdict judge_pause(const Facts &facts)
{
    const auto &pause = facts.interface.pause;
    if (!pause)
        return not_reported_by("driver");
    const std::string seen =
        fmt::format("receive {}, transmit {}", pause->rx_pause != 0 ? "on" : "off",
                    pause->tx_pause != 0 ? "on" : "off");
    if (pause->rx_pause == 0 && pause->tx_pause == 0)
        return fine(seen);
    return warned(seen, fmt::format("ethtool -A {} autoneg off rx off tx off", name_of(facts)));
}

InterfaceVerdict judge_merging(const Facts &facts)
{
    const Feature *const lro = feature(facts, "rx-lro");
    const Feature *const gro_hw = feature(facts, "rx-gro-hw");
    if (lro == nullptr && gro_hw == nullptr)
        return not_reported_by("driver");
    std::string seen;
    std::string options;
    const auto look = [&](const Feature *it, const char *name, const char *option) {
        if (it == nullptr || !it->is_on)
            return;
        seen += fmt::format("{}{} is on{}", seen.empty() ? "" : ", ", name,
                            it->is_fixed ? " and cannot be switched off" : "");
        if (!it->is_fixed)
            options += fmt::format(" {} off", option);
    };
    look(lro, "LRO", "lro");
    look(gro_hw, "GRO in hardware", "rx-gro-hw");
    if (seen.empty())
        return fine("off");
    return warned(seen,
                  options.empty() ? "" : fmt::format("ethtool -K {}{}", name_of(facts), options));
}

InterfaceVerdict judge_vlan_stripping(const Facts &facts)
{
    if (!has_device(facts))
        return std::nullopt;
    const Feature *const stripping = feature(facts, "rx-vlan-hw-parse");
    if (stripping == nullptr)
        return not_reported_by("driver");
    if (!stripping->is_on)
        return fine("off");
    return noted(
        "on", stripping->is_fixed ? "" : fmt::format("ethtool -K {} rxvlan off", name_of(facts)));
}

InterfaceVerdict judge_numa(const Facts &facts)
{
    if (!has_device(facts))
        return std::nullopt;
    if (!facts.interface.numa_node)
        return not_reported_by("kernel");
    const std::string seen = fmt::format("on node {}, whose CPUs are {}",
                                         *facts.interface.numa_node, facts.interface.node_cpus);
    const std::string command =
        fmt::format("taskset -c {} dnsgauge trial ...", facts.interface.node_cpus);
    if (facts.interface.near_cpus.empty())
        return warned(seen + "; this process may use none of them", command);
    if (facts.interface.near_cpus.size() < facts.host.cpus.size())
        return noted(seen + "; others are farther from it", command);
    return fine(seen);
}

InterfaceVerdict judge_qdisc(const Facts &facts)
{
    if (!is_veth(facts))
        return std::nullopt;
    const std::string &qdisc = facts.interface.link.qdisc;
    if (!facts.host.version || *facts.host.version < veth_holds_back)
        return noted(qdisc + "; before Linux 6.16 a full ring drops, whatever is set");
    if (qdisc != "noqueue" && qdisc != "noop")
        return fine(qdisc);
    // The queries leave by the Tester's end; XDP's answers pass no queue.
    return DoctorJudgement{
        facts.role == Role::dut ? Severity::note : Severity::warn, qdisc,
        fmt::format("tc qdisc replace dev {} root pfifo limit 1000", name_of(facts))};
}

InterfaceVerdict judge_gro(const Facts &facts)
{
    if (!is_veth(facts))
        return std::nullopt;
    const Feature *const gro = feature(facts, "rx-gro");
    if (gro == nullptr)
        return not_reported_by("driver");
    if (gro->is_on)
        return fine("on");
    return warned("off", fmt::format("ethtool -K {} gro on", name_of(facts)));
}

InterfaceVerdict judge_threads(const Facts &facts)
{
    if (!is_veth(facts))
        return std::nullopt;
    if (!facts.interface.threaded)
        return not_reported_by("kernel");
    const bool on = *facts.interface.threaded;
    if (on ? facts.role == Role::dut : facts.role == Role::tester)
        return fine(on ? "on, as the DUT's end wants" : "off, as the Tester's end wants");
    return noted(on ? "on: right for the DUT's end, wrong for the Tester's"
                    : "off: right for the Tester's end, wrong for the DUT's",
                 fmt::format("echo {:d} >/sys/class/net/{}/threaded", !on, name_of(facts)));
}

constexpr std::array<DoctorRule<Facts>, 21> interface_rules = {{
    {"link", "nothing can be sent", judge_link},
    {"mtu", "IPv6 needs 1280 octets, and above some 3000 many drivers refuse native XDP",
     judge_mtu},
    {"xdp-program", "an interface carries one program, and a trial brings its own to the Tester's",
     judge_program},
    {"native-xdp", "generic XDP sees a reply late, after a socket buffer has been made for it",
     judge_native_xdp},
    {"af-xdp", "queries are sent through AF_XDP", judge_af_xdp},
    {"zero-copy", "a copied packet costs the sending CPU more", judge_zero_copy},
    {"xdp-metadata", "times taken by the hardware would be free of this host's own delays",
     judge_metadata},
    {"timestamps", "times taken by the hardware would be free of this host's own delays",
     judge_timestamps},
    {"queues", "a sender needs a transmit queue, and each receive queue keeps one CPU busy",
     judge_queues},
    {"rss-udp4", "packets between two addresses all go to one queue unless ports count",
     [](const Facts &facts) { return judge_hash(facts, facts.interface.hash_udp4, "udp4"); }},
    {"rss-udp6", "packets between two addresses all go to one queue unless ports count",
     [](const Facts &facts) { return judge_hash(facts, facts.interface.hash_udp6, "udp6"); }},
    {"rss-table", "a queue that is not in the table receives nothing", judge_indirection},
    {"rings", "a burst that does not fit the ring is lost before any program sees it", judge_rings},
    {"coalescing", "every RTT contains this wait", judge_coalescing},
    {"flow-control", "the other side can stop the sender, and losses look like delays",
     judge_pause},
    {"merging", "drivers refuse native XDP with merging, and a merged packet is no reply",
     judge_merging},
    {"vlan-stripping", "XDP sees 802.1Q frames without their tag", judge_vlan_stripping},
    {"numa", "memory of another node is slow to reach", judge_numa},
    {"qdisc", "without a queue a full veth ring (256 packets) drops instead of holding back",
     judge_qdisc},
    {"gro", "without GRO or a program of its own a veth end loses what the other end sends by XDP",
     judge_gro},
    {"napi-threads", "without NAPI threads the sender's CPU processes the packets of a veth end",
     judge_threads},
}};

} // namespace

std::vector<Finding> interface_findings(const Facts &facts)
{
    return judge_all(interface_rules, facts);
}

Diagnosis diagnose(const Facts &facts)
{
    Diagnosis diagnosis{.interface = name_of(facts),
                        .driver = facts.interface.link.interface.driver,
                        .kernel = facts.host.kernel,
                        .findings = interface_findings(facts)};
    const std::vector<Finding> of_host = host_findings(facts);
    diagnosis.findings.insert(diagnosis.findings.end(), of_host.begin(), of_host.end());
    return diagnosis;
}

Diagnosis diagnose_tester(const std::string &interface)
{
    Facts facts = read_facts(interface, "/");
    facts.role = Role::tester;
    return diagnose(facts);
}

} // namespace dnsgauge
