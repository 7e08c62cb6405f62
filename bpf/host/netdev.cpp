// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/netdev.h"

#include "host/netlink.h"

#include <linux/genetlink.h>

#include <functional>
#include <string_view>

namespace dnsgauge
{

namespace
{

// The numbers of linux/netdev.h, which Debian 12 lacks. The kernel never changes them.
constexpr std::uint8_t command_dev_get = 1;
constexpr std::uint8_t command_napi_get = 11;
constexpr std::uint16_t attribute_ifindex = 1; // of both commands
constexpr std::uint16_t attribute_napi_id = 2;
constexpr std::uint16_t attribute_xdp_features = 3;
constexpr std::uint16_t attribute_rx_metadata_features = 5;
constexpr std::uint16_t attribute_xsk_features = 6;
constexpr std::uint64_t act_basic = 1;
constexpr std::uint64_t act_ndo_xmit = 4;
constexpr std::uint64_t act_xsk_zerocopy = 8;
constexpr std::uint64_t rx_metadata_timestamp = 1;
constexpr std::uint64_t rx_metadata_hash = 2;
constexpr std::uint64_t rx_metadata_vlan_tag = 4;
constexpr std::uint64_t xsk_tx_timestamp = 1;
constexpr std::uint64_t xsk_tx_checksum = 2;

// Sends a command about an interface, and hands each reply to `visit`. Returns false if this kernel
// does not have the family, or refuses the command. Throws as Netlink.
bool ask_netdev(std::uint8_t command, std::uint16_t flags, unsigned interface_index,
                const std::function<void(const nlmsghdr &)> &visit)
{
    constexpr std::string_view name{"netdev\0", 7};
    Netlink netlink(NETLINK_GENERIC);
    NetlinkRequest<genlmsghdr> question(GENL_ID_CTRL, 0);
    question.head().cmd = CTRL_CMD_GETFAMILY;
    question.add(CTRL_ATTR_FAMILY_NAME,
                 {reinterpret_cast<const std::uint8_t *>(name.data()), name.size()});
    std::optional<std::uint16_t> family;
    const int unknown = netlink.exchange(question.message(), [&](const nlmsghdr &reply) {
        family = attribute_number<genlmsghdr, std::uint16_t>(reply, CTRL_ATTR_FAMILY_ID);
    });
    if (unknown != 0 || !family)
        return false;
    NetlinkRequest<genlmsghdr> request(*family, flags);
    request.head().cmd = command;
    request.head().version = 1;
    request.add(attribute_ifindex, interface_index);
    return netlink.exchange(request.message(), visit) == 0;
}

XdpFeatures read_reply(const nlmsghdr &reply)
{
    const auto flags = [&reply](std::uint16_t type) {
        return attribute_number<genlmsghdr, std::uint64_t>(reply, type).value_or(0);
    };
    const std::uint64_t xdp = flags(attribute_xdp_features);
    const std::uint64_t rx_metadata = flags(attribute_rx_metadata_features);
    const std::uint64_t xsk = flags(attribute_xsk_features);
    return {.native = (xdp & act_basic) != 0,
            .takes_redirects = (xdp & act_ndo_xmit) != 0,
            .zero_copy = (xdp & act_xsk_zerocopy) != 0,
            .rx_timestamp = (rx_metadata & rx_metadata_timestamp) != 0,
            .rx_hash = (rx_metadata & rx_metadata_hash) != 0,
            .rx_vlan_tag = (rx_metadata & rx_metadata_vlan_tag) != 0,
            .tx_timestamp = (xsk & xsk_tx_timestamp) != 0,
            .tx_checksum = (xsk & xsk_tx_checksum) != 0};
}

} // namespace

std::optional<XdpFeatures> read_xdp_features(unsigned interface_index)
{
    std::optional<XdpFeatures> features;
    const bool is_told = ask_netdev(command_dev_get, 0, interface_index,
                                    [&](const nlmsghdr &reply) { features = read_reply(reply); });
    return is_told ? features : std::nullopt;
}

std::optional<std::vector<std::uint32_t>> napi_numbers(unsigned interface_index)
{
    std::vector<std::uint32_t> numbers;
    const bool is_told =
        ask_netdev(command_napi_get, NLM_F_DUMP, interface_index, [&](const nlmsghdr &reply) {
            if (const auto number = attribute_u32<genlmsghdr>(reply, attribute_napi_id))
                numbers.push_back(*number);
        });
    return is_told ? std::optional(numbers) : std::nullopt;
}

} // namespace dnsgauge
