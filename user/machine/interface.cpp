// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/interface.h"

#include "host/ethtool.h"
#include "host/netlink.h"
#include "machine/text_files.h"
#include "system/interface_number.h"
#include "system/setup_error.h"

#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
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
    const int error = Netlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
        if (is_ethernet(reply))
            names += (names.empty() ? "" : ", ") + attribute_text<ifinfomsg>(reply, IFLA_IFNAME);
    });
    return error != 0 || names.empty() ? "none" : names;
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

// An abstract name, not a file: it lives in the network namespace, as the interface does, and ends
// with its process.
struct HoldName {
    sockaddr_un address{};
    socklen_t length = 0;
};

HoldName hold_name(unsigned interface)
{
    const std::string text = fmt::format("dnsgauge/interface/{}", interface);
    HoldName name;
    name.address.sun_family = AF_UNIX;
    // The first octet of such a name is 0.
    std::memcpy(&name.address.sun_path[1], text.data(), text.size());
    name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    return name;
}

UniqueFd new_socket()
{
    UniqueFd made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made)
        throw SetupError(std::string("cannot look who has the interface: ") + std::strerror(errno));
    return made;
}

// Returns the process that listens at the name; nothing if none does any more, or if it is unknown.
std::optional<ucred> holder_of(const HoldName &name)
{
    const UniqueFd asking = new_socket();
    ucred holder{};
    socklen_t size = sizeof(holder);
    if (connect(asking.get(), reinterpret_cast<const sockaddr *>(&name.address), name.length) !=
            0 ||
        getsockopt(asking.get(), SOL_SOCKET, SO_PEERCRED, &holder, &size) != 0)
        return std::nullopt;
    return holder;
}

// Returns whether the process is this one, or an ancestor: a command of --before-trial may be a
// Tester, too.
bool waits_for_this_process(pid_t process)
{
    pid_t one = getpid();
    while (one > 1 && one != process)
        one = leading_number<pid_t>(value_of(fmt::format("/proc/{}/status", one), "PPid:"))
                  .value_or(0);
    return one == process;
}

} // namespace

void throw_unknown_interface(const std::string &name)
{
    throw SetupError("no interface \"" + name + "\" in this network namespace, which has " +
                     names_of_ethernet());
}

LinkState find_link(const std::string &name)
{
    const unsigned index = interface_number(name);
    if (index == 0)
        throw_unknown_interface(name);
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, 0);
    request.head().ifi_index = static_cast<int>(index);
    LinkState link;
    bool can_carry = false;
    if (Netlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
            link = read_link(reply);
            can_carry = is_ethernet(reply);
        }) != 0)
        throw_unknown_interface(name);
    Interface &interface = link.interface;
    if (!can_carry)
        throw SetupError("{} is not an Ethernet interface: choose one that is ({})", interface.name,
                         names_of_ethernet());

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

InterfaceHold::InterfaceHold(const std::string &interface)
{
    const unsigned number = interface_number(interface);
    if (number == 0)
        return;
    const HoldName name = hold_name(number);
    fd_ = new_socket();
    if (bind(fd_.get(), reinterpret_cast<const sockaddr *>(&name.address), name.length) == 0 &&
        listen(fd_.get(), SOMAXCONN) == 0)
        return;
    fd_ = UniqueFd();
    const std::optional<ucred> holder = holder_of(name);
    // A process that may not attach programs here cannot have the interface.
    if (!holder || waits_for_this_process(holder->pid) ||
        (holder->uid != 0 && holder->uid != geteuid()))
        return;
    throw SetupError("process {} has {} for its trials, and for the pauses between "
                     "them: wait until it has ended, or take another interface",
                     holder->pid, interface);
}

} // namespace dnsgauge
