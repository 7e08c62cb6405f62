// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/counters.h"

#include "host/unique_fd.h"
#include "net/netlink.h"

#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace dnsgauge
{

namespace
{

void add_kernel_counters(const Interface &interface, CounterValues &values)
{
    NetlinkRequest request(RTM_GETLINK, 0);
    request.fixed_part<ifinfomsg>().ifi_index = static_cast<int>(interface.index);
    Netlink netlink;
    netlink.ask(request, [&](const nlmsghdr *message) {
        for_each_attribute(message, sizeof(ifinfomsg), [&](const nlattr *attribute) {
            if (mnl_attr_get_type(attribute) != IFLA_STATS64)
                return;
            rtnl_link_stats64 stats{};
            std::memcpy(&stats, mnl_attr_get_payload(attribute),
                        std::min<std::size_t>(sizeof(stats), mnl_attr_get_payload_len(attribute)));
            values["rx_packets"] = stats.rx_packets;
            values["tx_packets"] = stats.tx_packets;
            values["rx_errors"] = stats.rx_errors;
            values["tx_errors"] = stats.tx_errors;
            values["rx_dropped"] = stats.rx_dropped;
            values["tx_dropped"] = stats.tx_dropped;
            values["rx_missed_errors"] = stats.rx_missed_errors;
            values["rx_over_errors"] = stats.rx_over_errors;
            values["rx_fifo_errors"] = stats.rx_fifo_errors;
            values["tx_fifo_errors"] = stats.tx_fifo_errors;
        });
    });
}

// ethtool's structures end in an array whose length is only known at run time.
template <class T>
T *sized(std::vector<std::uint64_t> &buffer, std::size_t tail)
{
    buffer.assign((sizeof(T) + tail) / sizeof(std::uint64_t) + 1, 0);
    return reinterpret_cast<T *>(buffer.data());
}

void add_driver_counters(const Interface &interface, CounterValues &values)
{
    const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    ifreq request{};
    interface.name.copy(request.ifr_name, IFNAMSIZ - 1);
    const auto ask = [&](void *argument) {
        request.ifr_data = static_cast<char *>(argument);
        return ioctl(socket.get(), SIOCETHTOOL, &request) == 0;
    };

    std::vector<std::uint64_t> sizes;
    auto *set = sized<ethtool_sset_info>(sizes, sizeof(__u32));
    set->cmd = ETHTOOL_GSSET_INFO;
    set->sset_mask = 1ULL << ETH_SS_STATS;
    if (!ask(set) || set->sset_mask == 0 || set->data[0] == 0)
        return;
    const std::size_t count = set->data[0];

    std::vector<std::uint64_t> names_buffer;
    auto *names = sized<ethtool_gstrings>(names_buffer, count * ETH_GSTRING_LEN);
    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_STATS;
    names->len = static_cast<__u32>(count);
    std::vector<std::uint64_t> values_buffer;
    auto *stats = sized<ethtool_stats>(values_buffer, count * sizeof(__u64));
    stats->cmd = ETHTOOL_GSTATS;
    stats->n_stats = static_cast<__u32>(count);
    if (!ask(names) || !ask(stats))
        return;
    for (std::size_t i = 0; i < count; i++) {
        const auto *name = reinterpret_cast<const char *>(names->data) + i * ETH_GSTRING_LEN;
        values["driver." + std::string(name, strnlen(name, ETH_GSTRING_LEN))] = stats->data[i];
    }
}

} // namespace

CounterValues read_counters(const Interface &interface)
{
    CounterValues values;
    add_kernel_counters(interface, values);
    add_driver_counters(interface, values);
    return values;
}

CounterValues grown(const CounterValues &before, const CounterValues &after)
{
    CounterValues growth;
    for (const auto &[name, value] : after) {
        const auto earlier = before.find(name);
        if (earlier != before.end() && value > earlier->second)
            growth[name] = value - earlier->second;
    }
    return growth;
}

bool is_loss(const std::string &name)
{
    if (name.find("xdp_drop") != std::string::npos)
        return false;
    constexpr std::array<std::string_view, 8> words = {"drop", "err",  "miss",    "fail",
                                                       "full", "fifo", "discard", "no_buf"};
    return std::any_of(words.begin(), words.end(), [&name](std::string_view word) {
        return name.find(word) != std::string::npos;
    });
}

} // namespace dnsgauge
