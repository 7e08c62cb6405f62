// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/interface.h"

#include "host/setup_error.h"
#include "net/ethtool.h"
#include "net/netlink.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>

#include <algorithm>
#include <memory>

namespace dnsgauge
{

namespace
{

struct NameIndexFreer {
    void operator()(struct if_nameindex *names) const { if_freenameindex(names); }
};

std::string names_of_all()
{
    const std::unique_ptr<struct if_nameindex, NameIndexFreer> all{if_nameindex()};
    std::string names;
    for (const auto *entry = all.get(); entry != nullptr && entry->if_index != 0; entry++)
        names += (names.empty() ? "" : ", ") + std::string(entry->if_name);
    return names.empty() ? "none" : names;
}

[[noreturn]] void throw_unknown(const std::string &name)
{
    throw SetupError("no interface \"" + name + "\" in this network namespace: there are " +
                     names_of_all());
}

struct Link {
    Interface interface;
    unsigned short type = 0; // ARPHRD_*
    bool is_up = false;
    bool has_carrier = true;
};

Link read_link(const nlmsghdr &message)
{
    const auto &head = *static_cast<const ifinfomsg *>(mnl_nlmsg_get_payload(&message));
    Link link;
    link.type = head.ifi_type;
    link.is_up = (head.ifi_flags & IFF_UP) != 0;
    Interface &interface = link.interface;
    interface.index = static_cast<unsigned>(head.ifi_index);
    const auto name = attribute<ifinfomsg>(message, IFLA_IFNAME);
    interface.name.assign(name.begin(), std::find(name.begin(), name.end(), 0));
    const auto mac = attribute<ifinfomsg>(message, IFLA_ADDRESS);
    if (mac.size() == interface.mac.size())
        std::copy(mac.begin(), mac.end(), interface.mac.begin());
    interface.mtu = attribute_u32<ifinfomsg>(message, IFLA_MTU).value_or(0);
    interface.rx_queues = attribute_u32<ifinfomsg>(message, IFLA_NUM_RX_QUEUES).value_or(1);
    interface.tx_queues = attribute_u32<ifinfomsg>(message, IFLA_NUM_TX_QUEUES).value_or(1);
    if (const auto carrier = attribute<ifinfomsg>(message, IFLA_CARRIER); !carrier.empty())
        link.has_carrier = carrier[0] != 0;
    return link;
}

void require_usable(const Link &link)
{
    const std::string &name = link.interface.name;
    if (link.type != ARPHRD_ETHER)
        throw SetupError(name + " is not an Ethernet interface: choose one that is (there are " +
                         names_of_all() + ")");
    if (!link.is_up)
        throw SetupError(name + " is down: ip link set " + name + " up");
    if (!link.has_carrier)
        throw SetupError(name + " has no carrier: plug the cable in, or bring the other end up");
}

} // namespace

Interface find_interface(const std::string &name)
{
    const unsigned index = if_nametoindex(name.c_str());
    if (index == 0)
        throw_unknown(name);
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, 0);
    request.head().ifi_index = static_cast<int>(index);
    Link link;
    if (RouteNetlink{}.exchange(request.message(),
                                [&](const nlmsghdr &reply) { link = read_link(reply); }) != 0)
        throw_unknown(name);
    require_usable(link);

    Interface &interface = link.interface;
    const Ethtool ethtool(interface.name);
    const Channels channels = ethtool.channels();
    if (channels.rx != 0)
        interface.rx_queues = channels.rx;
    if (channels.tx != 0)
        interface.tx_queues = channels.tx;
    interface.driver = ethtool.driver();
    interface.speed_mbps = ethtool.speed_mbps();
    return interface;
}

} // namespace dnsgauge
