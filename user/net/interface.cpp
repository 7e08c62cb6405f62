// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/interface.h"

#include "host/setup_error.h"
#include "host/unique_fd.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace dnsgauge
{

namespace
{

std::string present_interfaces()
{
    const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex *)> list(
        if_nameindex(), if_freenameindex);
    std::vector<std::string> names;
    for (const struct if_nameindex *one = list.get(); one != nullptr && one->if_index != 0; one++)
        names.emplace_back(one->if_name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// Questions to the kernel about one interface.
class InterfaceQuery
{
public:
    explicit InterfaceQuery(const std::string &name)
        : name_(name), socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        if (!socket_)
            throw SetupError(std::string("cannot open a socket: ") + std::strerror(errno));
    }

    // False when the driver does not know the question.
    [[nodiscard]] bool ask(unsigned long question, ifreq &request) const
    {
        name_.copy(request.ifr_name, IFNAMSIZ - 1);
        return ioctl(socket_.get(), question, &request) == 0;
    }
    // `argument` begins with its command, as all of ethtool's structures do.
    template <class T>
    [[nodiscard]] bool ask_ethtool(T &argument) const
    {
        ifreq request{};
        request.ifr_data = reinterpret_cast<char *>(&argument);
        return ask(SIOCETHTOOL, request);
    }

private:
    std::string name_;
    UniqueFd socket_;
};

void read_queues(const InterfaceQuery &query, Interface &interface)
{
    ethtool_channels channels{};
    channels.cmd = ETHTOOL_GCHANNELS;
    if (!query.ask_ethtool(channels))
        return;
    interface.rx_queues = std::max(1U, channels.combined_count + channels.rx_count);
    interface.tx_queues = std::max(1U, channels.combined_count + channels.tx_count);
}

void read_driver(const InterfaceQuery &query, Interface &interface)
{
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    interface.driver = query.ask_ethtool(info) ? info.driver : "unknown";

    ethtool_link_settings settings{};
    settings.cmd = ETHTOOL_GLINKSETTINGS;
    if (query.ask_ethtool(settings) && settings.speed != static_cast<__u32>(SPEED_UNKNOWN))
        interface.speed_mbps = settings.speed;
}

} // namespace

Interface find_interface(const std::string &name)
{
    Interface interface;
    interface.name = name;
    interface.index = if_nametoindex(name.c_str());
    if (interface.index == 0)
        throw SetupError("no interface " + name + " in this network namespace: there are " +
                         present_interfaces());

    const InterfaceQuery query(name);
    ifreq request{};
    if (!query.ask(SIOCGIFFLAGS, request))
        throw SetupError("cannot read the state of " + name + ": " + std::strerror(errno));
    if ((request.ifr_flags & IFF_UP) == 0)
        throw SetupError(name + " is down: ip link set " + name + " up");
    if ((request.ifr_flags & IFF_RUNNING) == 0)
        throw SetupError(name + " has no link: is its cable plugged in, its other end up?");
    if (!query.ask(SIOCGIFHWADDR, request) || request.ifr_hwaddr.sa_family != ARPHRD_ETHER)
        throw SetupError(name + " is not an Ethernet interface: XDP needs one");
    std::memcpy(interface.mac.data(), request.ifr_hwaddr.sa_data, interface.mac.size());
    if (query.ask(SIOCGIFMTU, request))
        interface.mtu = static_cast<std::uint32_t>(request.ifr_mtu);
    read_queues(query, interface);
    read_driver(query, interface);
    return interface;
}

} // namespace dnsgauge
