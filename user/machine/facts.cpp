// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"

#include "common/unique_fd.h"
#include "host/bpf_jit.h"
#include "machine/text_files.h"

#include <sys/socket.h>

#include <cerrno>

namespace dnsgauge
{

namespace
{

// Returns nothing where this process may not open an AF_XDP socket, even if the kernel has them.
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

} // namespace

void read_device_files(InterfaceFacts &facts, const HostFacts &host,
                       const std::filesystem::path &root)
{
    const auto device = root / "sys/class/net" / facts.link.interface.name;
    if (const auto threads = leading_number<unsigned>(first_line(device / "threaded")))
        facts.threaded = *threads != 0;
    // The kernel says -1 where it does not know.
    facts.numa_node = leading_number<unsigned>(first_line(device / "device/numa_node"));
    if (!facts.numa_node)
        return;
    const auto node =
        root / "sys/devices/system/node" / ("node" + std::to_string(*facts.numa_node));
    facts.node_cpus = first_line(node / "cpulist");
    std::error_code error;
    for (const unsigned cpu : host.cpus)
        if (std::filesystem::exists(node / ("cpu" + std::to_string(cpu)), error))
            facts.near_cpus.push_back(cpu);
}

Facts read_facts(const std::string &interface, const std::filesystem::path &root)
{
    Facts facts;
    facts.host = read_host_files(root);
    facts.host.bpf_is_compiled = bpf_is_compiled();
    facts.interface.link = find_link(interface);
    const Interface &found = facts.interface.link.interface;
    ask_driver(facts.interface);
    facts.interface.program = attached_program(found.index);
    facts.interface.xdp = read_xdp_features(found.index);
    facts.interface.af_xdp = kernel_has_af_xdp();
    read_device_files(facts.interface, facts.host, root);
    return facts;
}

} // namespace dnsgauge
