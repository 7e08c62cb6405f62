// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/route.h"

#include "host/netlink.h"
#include "system/interface_number.h"
#include "system/setup_error.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

namespace dnsgauge
{

namespace
{

unsigned char family_of(const IpAddress &address)
{
    return address.is_ipv6 ? AF_INET6 : AF_INET;
}

std::optional<IpAddress> to_address(std::span<const std::uint8_t> bytes)
{
    if (bytes.size() != 4 && bytes.size() != 16)
        return std::nullopt;
    return IpAddress::of(bytes);
}

// One answer of the kernel's route lookup.
struct Lookup {
    int error = 0;
    unsigned char type = RTN_UNSPEC;
    unsigned out_index = 0;
    std::optional<IpAddress> source;
    std::optional<IpAddress> gateway;

    [[nodiscard]] bool is_unicast() const { return error == 0 && type == RTN_UNICAST; }
};

std::optional<IpAddress> gateway_of(const nlmsghdr &message)
{
    if (const auto gateway = attribute<rtmsg>(message, RTA_GATEWAY); !gateway.empty())
        return to_address(gateway);
    // An IPv4 route may have an IPv6 gateway (RFC 8950): RTA_VIA has the gateway's family, then its
    // bytes.
    const auto via = attribute<rtmsg>(message, RTA_VIA);
    constexpr std::size_t family_size = sizeof(rtvia::rtvia_family);
    return via.size() < family_size ? std::nullopt : to_address(via.subspan(family_size));
}

// Asks the kernel for a route through the interface `out_index`, or through any if that is 0.
// `flags` are RTM_F_*.
Lookup look_up(Netlink &netlink, const IpAddress &server, unsigned out_index, unsigned flags)
{
    NetlinkRequest<rtmsg> request(RTM_GETROUTE, 0);
    const auto destination = server.octets();
    request.head().rtm_family = family_of(server);
    request.head().rtm_dst_len = static_cast<unsigned char>(8 * destination.size());
    request.head().rtm_flags = flags;
    request.add(RTA_DST, destination);
    if (out_index != 0)
        request.add(RTA_OIF, out_index);

    Lookup lookup;
    lookup.error = netlink.exchange(request.message(), [&](const nlmsghdr &reply) {
        lookup.type = static_cast<const rtmsg *>(mnl_nlmsg_get_payload(&reply))->rtm_type;
        lookup.out_index = attribute_u32<rtmsg>(reply, RTA_OIF).value_or(0);
        lookup.source = to_address(attribute<rtmsg>(reply, RTA_PREFSRC));
        lookup.gateway = gateway_of(reply);
    });
    return lookup;
}

std::string name_of(unsigned index)
{
    const std::string name = interface_name(index);
    return name.empty() ? "another interface" : name;
}

std::string ip_command(const IpAddress &address)
{
    return address.is_ipv6 ? "ip -6" : "ip";
}

std::string why_no_route(const Lookup &anywhere, const Interface &interface,
                         const IpAddress &server)
{
    const std::string address = to_string(server);
    if (anywhere.is_unicast() && anywhere.out_index != interface.index)
        return "the route to " + address + " leaves by " + name_of(anywhere.out_index) + ", not " +
               interface.name + ": choose that interface, or add a route (" + ip_command(server) +
               " route add " + address + " dev " + interface.name + ")";
    return "no route to " + address + " on " + interface.name +
           ": give the interface an address in the server's network (ip addr add ADDRESS/LENGTH "
           "dev " +
           interface.name + "), or add a route (" + ip_command(server) + " route add " + address +
           " via GATEWAY dev " + interface.name + ")";
}

// Returns the neighbour's Ethernet address, if the kernel's table has one that the kernel would
// use.
std::optional<MacAddress> look_up_neighbour(Netlink &netlink, const Interface &interface,
                                            const IpAddress &hop)
{
    NetlinkRequest<ndmsg> request(RTM_GETNEIGH, 0);
    request.head().ndm_family = family_of(hop);
    request.head().ndm_ifindex = static_cast<int>(interface.index);
    request.add(NDA_DST, hop.octets());

    constexpr unsigned usable =
        NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT | NUD_NOARP;
    std::optional<MacAddress> mac;
    const int error = netlink.exchange(request.message(), [&](const nlmsghdr &reply) {
        const auto &head = *static_cast<const ndmsg *>(mnl_nlmsg_get_payload(&reply));
        const auto bytes = attribute<ndmsg>(reply, NDA_LLADDR);
        if ((head.ndm_state & usable) == 0 || bytes.size() != MacAddress{}.size())
            return;
        mac.emplace();
        std::copy(bytes.begin(), bytes.end(), mac->begin());
    });
    if (error != 0 && error != ENOENT)
        throw SetupError("cannot read the neighbours of " + interface.name + ": " +
                         std::strerror(error));
    return mac;
}

// Makes the kernel ask for the neighbour's address, as it does when it has a packet for the
// neighbour.
void ask_for_neighbour(Netlink &netlink, const Interface &interface, const IpAddress &hop)
{
    NetlinkRequest<ndmsg> request(RTM_NEWNEIGH, NLM_F_CREATE);
    request.head().ndm_family = family_of(hop);
    request.head().ndm_ifindex = static_cast<int>(interface.index);
    request.head().ndm_flags = NTF_USE;
    request.add(NDA_DST, hop.octets());
    const int error = netlink.exchange(request.message());
    if (error == EPERM)
        throw SetupError("may not ask for the Ethernet address of " + to_string(hop) + " on " +
                         interface.name +
                         ": run as root, grant CAP_NET_ADMIN, or give --server-mac");
    if (error != 0)
        throw SetupError("cannot ask for the Ethernet address of " + to_string(hop) + " on " +
                         interface.name + " (" + std::strerror(error) + "): give --server-mac");
}

} // namespace

Route find_route(const Interface &interface, const IpAddress &server)
{
    Netlink netlink;
    const std::string address = to_string(server);
    const Lookup anywhere = look_up(netlink, server, 0, 0);
    if (anywhere.error == 0 && anywhere.type == RTN_LOCAL)
        throw SetupError(address + " is an address of this host: the server must be in another "
                                   "host or network namespace");
    // In a lookup with an interface the kernel takes an IPv4 address without a route for a
    // neighbour. Only a lookup that must match a route tells the two apart.
    const Lookup matched = look_up(netlink, server, interface.index, RTM_F_FIB_MATCH);
    if (matched.error == 0 && (matched.type == RTN_BROADCAST || matched.type == RTN_MULTICAST))
        throw SetupError(address + " is not the address of one host: give the server's address");
    const Lookup chosen = look_up(netlink, server, interface.index, 0);
    if (!matched.is_unicast() || !chosen.is_unicast() || chosen.out_index != interface.index)
        throw SetupError(why_no_route(anywhere, interface, server));
    if (!chosen.source)
        throw SetupError("no address to send to " + address +
                         " from: ip addr add ADDRESS/LENGTH dev " + interface.name);
    return {.source = *chosen.source, .gateway = chosen.gateway};
}

MacAddress find_neighbour(const Interface &interface, const IpAddress &hop,
                          std::chrono::milliseconds patience)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds pause{10};
    Netlink netlink;
    const auto deadline = Clock::now() + patience;
    for (;;) {
        if (const auto mac = look_up_neighbour(netlink, interface, hop))
            return *mac;
        if (Clock::now() >= deadline)
            throw SetupError("nobody answers for " + to_string(hop) + " on " + interface.name +
                             ": is the host up? If it is, give its Ethernet address with "
                             "--server-mac");
        ask_for_neighbour(netlink, interface, hop);
        std::this_thread::sleep_for(pause);
    }
}

bool is_own_address(const IpAddress &address)
{
    Netlink netlink;
    const Lookup lookup = look_up(netlink, address, 0, 0);
    return lookup.error == 0 && lookup.type == RTN_LOCAL;
}

NextHop find_next_hop(const Interface &interface, const IpAddress &server,
                      const std::optional<IpAddress> &source, const std::optional<MacAddress> &mac)
{
    constexpr std::chrono::milliseconds patience{3000};
    if (source && mac)
        return {.source = *source, .mac = *mac, .gateway = {}};
    const Route route = find_route(interface, server);
    return {.source = source.value_or(route.source),
            .mac = mac ? *mac : find_neighbour(interface, route.gateway.value_or(server), patience),
            .gateway = route.gateway};
}

std::optional<MacAddress> known_neighbour(const Interface &interface, const IpAddress &hop)
{
    Netlink netlink;
    return look_up_neighbour(netlink, interface, hop);
}

} // namespace dnsgauge
