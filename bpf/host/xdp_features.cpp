// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/xdp_features.h"

#include "host/netlink.h"

#include <linux/genetlink.h>

namespace dnsgauge
{

namespace
{

// The numbers of linux/netdev.h, which Debian 12 lacks. The kernel never changes them.
constexpr std::uint8_t command_dev_get = 1;
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

} // namespace dnsgauge
