// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/interface.h"

#include "host/ethtool.h"
#include "host/netlink.h"
#include "userland/interface_number.h"
#include "userland/setup_error.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

bool is_ethernet(const nlmsghdr &message)
{
    return static_cast<const ifinfomsg *>(mnl_nlmsg_get_payload(&message))->ifi_type ==
           ARPHRD_ETHER;
}

// Returns the names of the interfaces that a user may choose.
std::string names_of_ethernet()
{
    std::string names;
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, NLM_F_DUMP);
    const int error = RouteNetlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
        if (is_ethernet(reply))
            names += (names.empty() ? "" : ", ") + attribute_text<ifinfomsg>(reply, IFLA_IFNAME);
    });
    return error != 0 || names.empty() ? "none" : names;
}

[[noreturn]] void throw_unknown(const std::string &name)
{
    throw SetupError("no interface \"" + name + "\" in this network namespace: there are " +
                     names_of_ethernet());
}

LinkState read_link(const nlmsghdr &message)
{
    const auto &head = *static_cast<const ifinfomsg *>(mnl_nlmsg_get_payload(&message));
    LinkState link;
    link.is_up = (head.ifi_flags & IFF_UP) != 0;
    link.qdisc = attribute_text<ifinfomsg>(message, IFLA_QDISC);
    Interface &interface = link.interface;
    interface.index = static_cast<unsigned>(head.ifi_index);
    interface.name = attribute_text<ifinfomsg>(message, IFLA_IFNAME);
    const auto mac = attribute<ifinfomsg>(message, IFLA_ADDRESS);
    if (mac.size() == interface.mac.size())
        std::copy(mac.begin(), mac.end(), interface.mac.begin());
    interface.mtu = attribute_u32<ifinfomsg>(message, IFLA_MTU).value_or(0);
    interface.rx_queues = attribute_u32<ifinfomsg>(message, IFLA_NUM_RX_QUEUES).value_or(1);
    interface.tx_queues = attribute_u32<ifinfomsg>(message, IFLA_NUM_TX_QUEUES).value_or(1);
    const auto carrier = attribute<ifinfomsg>(message, IFLA_CARRIER);
    link.has_carrier = carrier.empty() || carrier[0] != 0;
    return link;
}

} // namespace

LinkState find_link(const std::string &name)
{
    const unsigned index = interface_number(name);
    if (index == 0)
        throw_unknown(name);
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, 0);
    request.head().ifi_index = static_cast<int>(index);
    LinkState link;
    bool can_carry = false;
    if (RouteNetlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
            link = read_link(reply);
            can_carry = is_ethernet(reply);
        }) != 0)
        throw_unknown(name);
    Interface &interface = link.interface;
    if (!can_carry)
        throw SetupError(interface.name +
                         " is not an Ethernet interface: choose one that is (there are " +
                         names_of_ethernet() + ")");

    const Ethtool ethtool(interface.name);
    const Channels channels = ethtool.channels();
    if (channels.rx != 0)
        interface.rx_queues = channels.rx;
    if (channels.tx != 0)
        interface.tx_queues = channels.tx;
    interface.driver = ethtool.driver();
    interface.speed_mbps = ethtool.speed_mbps();
    return link;
}

Interface find_interface(const std::string &name, std::chrono::milliseconds carrier_patience)
{
    LinkState link = find_link(name);
    const std::string own_name = link.interface.name;
    if (!link.is_up)
        throw SetupError(own_name + " is down: ip link set " + own_name + " up");
    const auto deadline = std::chrono::steady_clock::now() + carrier_patience;
    while (!link.has_carrier && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        link = find_link(name);
    }
    if (!link.has_carrier)
        throw SetupError(own_name +
                         " has no carrier: plug the cable in, or bring the other end up");
    return std::move(link.interface);
}

void drain_ring(const Interface &interface)
{
    const Ethtool ethtool(interface.name);
    if (!ethtool.has_gro() || !ethtool.set_gro(false))
        return;
    if (!ethtool.set_gro(true))
        throw SetupError("cannot switch GRO of " + interface.name +
                         " on again: " + std::strerror(errno) + ": do it by hand (ethtool -K " +
                         interface.name + " gro on)");
}

} // namespace dnsgauge
