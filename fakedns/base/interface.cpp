// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/interface.h"

#include "dns/ip_prefix.h"
#include "dns/socket_address.h"
#include "host/ethtool.h"
#include "system/freed_by.h"
#include "system/interface_number.h"
#include "system/unique_fd.h"

#include <ifaddrs.h>
#include <linux/if_vlan.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace dnsgauge
{

namespace
{

// Throws SetupError, which says what it `cannot` do, if the kernel does not answer.
ifreq ask(unsigned long question, const std::string &interface, const std::string &cannot)
{
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    if (const int error = ask_interface(question, request); error != 0)
        throw SetupError("{}{}: {}", cannot, interface, std::strerror(error));
    return request;
}

// Returns the interface that a VLAN interface lies on; empty if `interface` is no VLAN interface.
std::string vlan_parent(int socket_fd, const std::string &interface)
{
    vlan_ioctl_args request{};
    if (interface.size() >= sizeof(request.device1))
        return {};
    request.cmd = GET_VLAN_REALDEV_NAME_CMD;
    interface.copy(request.device1, sizeof(request.device1) - 1);
    if (ioctl(socket_fd, SIOCGIFVLAN, &request) != 0)
        return {};
    return request.u.device2;
}

// RFC 3927, RFC 4291 section 2.5.6.
bool is_link_local(const IpAddress &address)
{
    return parse_ip_prefix(address.is_ipv6 ? "fe80::/10" : "169.254.0.0/16").contains(address);
}

} // namespace

unsigned interface_mtu(const std::string &interface)
{
    return static_cast<unsigned>(ask(SIOCGIFMTU, interface, "cannot read the MTU of ").ifr_mtu);
}

unsigned receive_queues(const std::string &interface, unsigned most)
{
    // A driver that does not know the request counts as one queue.
    const unsigned count = std::max(Ethtool(interface).channels().rx, 1U);
    if (count > most)
        throw SetupError("{} has {} receive queues: set at most {} with ethtool -L", interface,
                         count, most);
    return count;
}

unsigned require_interface_up(const std::string &interface)
{
    const std::string absent =
        "no interface \"" + interface + "\" in this network namespace: see ip link";
    if (interface.empty() || interface.size() >= IFNAMSIZ)
        throw SetupError(absent);
    const unsigned number = interface_number(interface);
    if (number == 0)
        throw InterfaceMissing(absent);
    if ((ask(SIOCGIFFLAGS, interface, "cannot ask for the state of ").ifr_flags & IFF_UP) == 0)
        throw InterfaceMissing("interface {0} is down: ip link set {0} up", interface);
    return number;
}

bool interface_exists(unsigned index)
{
    try {
        return !interface_name(index).empty();
    } catch (const SetupError &) {
        return true;
    }
}

std::vector<std::string> with_vlan_interfaces(const std::string &interface)
{
    const std::unique_ptr<struct if_nameindex, FreedBy<if_freenameindex>> all{if_nameindex()};
    if (!all)
        throw_errno("cannot list the interfaces");
    const UniqueFd socket_fd =
        opened(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "cannot open a socket");
    std::vector<std::string> names{interface};
    for (const struct if_nameindex *one = all.get(); one->if_index != 0; one++) {
        if (vlan_parent(socket_fd.get(), one->if_name) == interface)
            names.emplace_back(one->if_name);
    }
    return names;
}

InterfaceAddresses interface_addresses(const std::string &interface)
{
    ifaddrs *first = nullptr;
    if (getifaddrs(&first) != 0)
        throw_errno("cannot list the addresses of " + interface);
    const std::unique_ptr<ifaddrs, FreedBy<freeifaddrs>> all{first};
    InterfaceAddresses addresses;
    for (const ifaddrs *one = all.get(); one != nullptr; one = one->ifa_next) {
        const int family = one->ifa_addr == nullptr ? AF_UNSPEC : one->ifa_addr->sa_family;
        if ((family != AF_INET && family != AF_INET6) || interface != one->ifa_name)
            continue;
        const IpAddress address = IpAddress::of(address_octets(*one->ifa_addr, family));
        IpAddress &usable = address.is_ipv6 ? addresses.ipv6 : addresses.ipv4;
        if (usable.is_any() && !is_link_local(address))
            usable = address;
    }
    return addresses;
}

} // namespace dnsgauge
