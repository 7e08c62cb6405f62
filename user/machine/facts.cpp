// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/facts.h"

#include "host/bpf_jit.h"
#include "machine/card.h"
#include "machine/text_files.h"
#include "machine/zero_copy.h"
#include "userland/system_calls.h"
#include "userland/unique_fd.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

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

} // namespace dnsgauge
