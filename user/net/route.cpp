// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/route.h"

#include "host/setup_error.h"
#include "net/netlink.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

namespace dnsgauge
{

namespace
{

constexpr std::uint16_t usable_states =
    NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE;
constexpr auto neighbour_interval = std::chrono::milliseconds(20);

std::uint8_t family_of(const IpAddress &address)
{
    return address.is_ipv6 ? AF_INET6 : AF_INET;
}

IpAddress address_in(const nlattr *attribute, bool is_ipv6)
{
    IpAddress address;
    address.is_ipv6 = is_ipv6;
    std::memcpy(address.bytes.data(), mnl_attr_get_payload(attribute),
                std::min<std::size_t>(address.size(), mnl_attr_get_payload_len(attribute)));
    return address;
}

// What a route lookup said.
struct Lookup {
    int error = 0;
    unsigned char type = RTN_UNSPEC;
    unsigned interface_index = 0;
    std::optional<IpAddress> source;
    std::optional<IpAddress> gateway;
};

// `interface_index` 0: by whichever interface.
Lookup look_up(const IpAddress &server, unsigned interface_index)
{
    NetlinkRequest request(RTM_GETROUTE, 0);
    auto &fixed = request.fixed_part<rtmsg>();
    fixed.rtm_family = family_of(server);
    fixed.rtm_dst_len = static_cast<unsigned char>(server.size() * 8);
    mnl_attr_put(request.header(), RTA_DST, server.size(), server.bytes.data());
    if (interface_index != 0)
        mnl_attr_put_u32(request.header(), RTA_OIF, interface_index);

    Lookup lookup;
    Netlink netlink;
    lookup.error = netlink.ask(request, [&](const nlmsghdr *message) {
        lookup.type = static_cast<const rtmsg *>(mnl_nlmsg_get_payload(message))->rtm_type;
        for_each_attribute(message, sizeof(rtmsg), [&](const nlattr *attribute) {
            switch (mnl_attr_get_type(attribute)) {
            case RTA_OIF:
                lookup.interface_index = mnl_attr_get_u32(attribute);
                break;
            case RTA_PREFSRC:
                lookup.source = address_in(attribute, server.is_ipv6);
                break;
            case RTA_GATEWAY:
                lookup.gateway = address_in(attribute, server.is_ipv6);
                break;
            default:
                break;
            }
        });
    });
    return lookup;
}

std::string interface_name(unsigned index)
{
    std::array<char, IF_NAMESIZE> name{};
    return if_indextoname(index, name.data()) != nullptr ? name.data() : "another interface";
}

std::optional<MacAddress> known_neighbour(const Interface &interface, const IpAddress &hop)
{
    NetlinkRequest request(RTM_GETNEIGH, NLM_F_DUMP);
    request.fixed_part<ndmsg>().ndm_family = family_of(hop);

    std::optional<MacAddress> found;
    Netlink netlink;
    netlink.ask(request, [&](const nlmsghdr *message) {
        const auto *entry = static_cast<const ndmsg *>(mnl_nlmsg_get_payload(message));
        if (entry->ndm_ifindex != static_cast<int>(interface.index) ||
            (entry->ndm_state & usable_states) == 0)
            return;
        bool same = false;
        MacAddress mac{};
        for_each_attribute(message, sizeof(ndmsg), [&](const nlattr *attribute) {
            if (mnl_attr_get_type(attribute) == NDA_DST)
                same = address_in(attribute, hop.is_ipv6) == hop;
            else if (mnl_attr_get_type(attribute) == NDA_LLADDR &&
                     mnl_attr_get_payload_len(attribute) == mac.size())
                std::memcpy(mac.data(), mnl_attr_get_payload(attribute), mac.size());
        });
        if (same)
            found = mac;
    });
    return found;
}

// Makes the kernel find the neighbour out, as a packet to it would.
void request_neighbour(const Interface &interface, const IpAddress &hop)
{
    NetlinkRequest request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE | NLM_F_ACK);
    auto &fixed = request.fixed_part<ndmsg>();
    fixed.ndm_family = family_of(hop);
    fixed.ndm_ifindex = static_cast<int>(interface.index);
    fixed.ndm_state = NUD_NONE;
    fixed.ndm_flags = NTF_USE;
    mnl_attr_put(request.header(), NDA_DST, hop.size(), hop.bytes.data());

    Netlink netlink;
    const int error = netlink.ask(request, [](const nlmsghdr *) {});
    if (error != 0)
        throw SetupError("cannot have the kernel look for " + to_string(hop) + " on " +
                         interface.name + ": " + std::strerror(error) +
                         "; run as root, or give --server-mac");
}

} // namespace

Route find_route(const Interface &interface, const IpAddress &server)
{
    const Lookup any = look_up(server, 0);
    if (any.error == 0 && any.type == RTN_LOCAL)
        throw SetupError(to_string(server) +
                         " is an address of this host: queries to it never reach a wire; run the "
                         "server on another host or in another network namespace");

    const Lookup lookup = look_up(server, interface.index);
    if (lookup.error == 0 && lookup.interface_index == interface.index && lookup.source)
        return {.source = *lookup.source, .gateway = lookup.gateway};
    if (any.error == 0 && any.interface_index != interface.index)
        throw SetupError("the route to " + to_string(server) + " leaves by " +
                         interface_name(any.interface_index) + ", not by " + interface.name +
                         ": give that interface, or change the route");
    throw SetupError("no route to " + to_string(server) + " by " + interface.name + ": give " +
                     interface.name +
                     " an address on the server's network (ip addr "
                     "add), or add a route");
}

MacAddress find_neighbour(const Interface &interface, const IpAddress &hop,
                          std::chrono::milliseconds patience)
{
    if (const auto known = known_neighbour(interface, hop))
        return *known;
    request_neighbour(interface, hop);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
        if (const auto found = known_neighbour(interface, hop))
            return *found;
        std::this_thread::sleep_for(neighbour_interval);
    }
    throw SetupError("nobody on " + interface.name + " answers for " + to_string(hop) +
                     ": is that host up and on this link? Else give --server-mac");
}

} // namespace dnsgauge
