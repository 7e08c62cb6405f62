// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/counters.h"

#include "host/ethtool.h"
#include "host/netlink.h"
#include "machine/text_files.h"
#include "system/setup_error.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <regex>

namespace dnsgauge
{

namespace
{

// Puts the interface's present name into `name`: its driver is asked by name.
CounterValues read_kernel_counters(Netlink &netlink, const Interface &interface, std::string &name)
{
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, 0);
    request.head().ifi_index = static_cast<int>(interface.index);
    rtnl_link_stats64 stats{};
    std::uint32_t carrier_down = 0;
    const int error = netlink.exchange(request.message(), [&](const nlmsghdr &reply) {
        const auto bytes = attribute<ifinfomsg>(reply, IFLA_STATS64);
        std::memcpy(&stats, bytes.data(), std::min(bytes.size(), sizeof(stats)));
        carrier_down = attribute_u32<ifinfomsg>(reply, IFLA_CARRIER_DOWN_COUNT).value_or(0);
        name = attribute_text<ifinfomsg>(reply, IFLA_IFNAME);
    });
    if (error != 0)
        throw SetupError("cannot read the counters of " + interface.name + ": " +
                         std::strerror(error));
    return {
        {"rx_packets", stats.rx_packets},      {"tx_packets", stats.tx_packets},
        {"rx_dropped", stats.rx_dropped},      {"tx_dropped", stats.tx_dropped},
        {"rx_errors", stats.rx_errors},        {"tx_errors", stats.tx_errors},
        {"rx_missed", stats.rx_missed_errors}, {"carrier_down", carrier_down},
    };
}

void add_driver_counters(CounterValues &values, const Ethtool &driver)
{
    for (const auto &[name, value] : driver.statistics())
        values[std::string(driver_counter) + name] = value;
}

// `words` is a counter's name in small letters.
bool tells_of_loss(const std::string &words)
{
    static const std::regex telling("drop|err|missed|fail|full|discard|overrun|overflow|no_buf|"
                                    "of_buf|no_dma");
    // Words that contain one of the words above by chance, and words that mean no lost packet (see
    // the header).
    static const std::regex innocent("interrupt|transmission|transferred|deferred|xdp_drop|"
                                     "filter_(?:drop|discard)|csum_(?:rx_|offload_)?err|"
                                     "checksum_err|err_lane|fec_correctable_err|arfs_err|"
                                     "(?:recycle_ring|cache|xsk)_full|fdir_overflow");
    return std::regex_search(std::regex_replace(words, innocent, ""), telling);
}

// `words` is a counter's name in small letters.
Loss direction_of(std::string_view words)
{
    bool begins_word = true;
    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string_view two = words.substr(i, 2);
        if (begins_word && two == "tx")
            return Loss::sending;
        if (begins_word && two == "rx")
            return Loss::receiving;
        begins_word = std::isalnum(static_cast<unsigned char>(words[i])) == 0;
    }
    return Loss::somewhere;
}

} // namespace

CounterValues read_counters(const Interface &interface)
{
    std::string present_name;
    Netlink netlink;
    CounterValues values = read_kernel_counters(netlink, interface, present_name);
    add_driver_counters(values, Ethtool(present_name));
    return values;
}

std::function<CounterValues()> counter_reader(const Interface &interface)
{
    const auto netlink = std::make_shared<Netlink>();
    const auto ethtool = std::make_shared<Ethtool>(interface.name);
    return [netlink, ethtool, interface] {
        std::string present_name;
        CounterValues values = read_kernel_counters(*netlink, interface, present_name);
        add_driver_counters(values, *ethtool);
        return values;
    };
}

CounterValues grown(const CounterValues &before, const CounterValues &after)
{
    const auto has_drivers = [](const CounterValues &values) {
        return std::ranges::any_of(
            values, [](const auto &one) { return one.first.starts_with(driver_counter); });
    };
    if (has_drivers(before) != has_drivers(after))
        throw SetupError("the interface's driver told its counters only once");
    CounterValues growth;
    for (const auto &[name, value] : after) {
        const auto earlier = before.find(name);
        const std::uint64_t from = earlier == before.end() ? 0 : earlier->second;
        if (value > from)
            growth[name] = value - from;
    }
    return growth;
}

Loss loss_of(const std::string &name)
{
    std::string words = lower_case(name);
    if (words.starts_with(driver_counter))
        words.erase(0, driver_counter.size());
    return tells_of_loss(words) ? direction_of(words) : Loss::none;
}

std::uint64_t dropped_by_choice(const CounterValues &growth, const std::string &name)
{
    static constexpr std::string_view drops = "drops";
    if (!name.ends_with(drops))
        return 0;
    std::string chosen = name;
    chosen.insert(name.size() - drops.size(), "xdp_");
    const auto found = growth.find(chosen);
    return found == growth.end() ? 0 : found->second;
}

CounterValues lost_receiving(const CounterValues &growth)
{
    CounterValues lost;
    for (const auto &[name, value] : growth) {
        const Loss loss = loss_of(name);
        const std::uint64_t count = value - std::min(value, dropped_by_choice(growth, name));
        const bool is_loss = loss == Loss::receiving || loss == Loss::somewhere ||
                             lower_case(name).find("xdp_drop") != std::string::npos;
        if (is_loss && count != 0)
            lost[name] = count;
    }
    return lost;
}

} // namespace dnsgauge
