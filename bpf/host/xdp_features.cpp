// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/xdp_features.h"

#include "host/netlink.h"

#include <linux/genetlink.h>

namespace dnsgauge
{

namespace
{

// The kernel's netdev family (Documentation/netlink/specs/netdev.yaml). Debian 12 lacks the
// family's header, linux/netdev.h. The kernel never changes these numbers.
constexpr const char *family_name = "netdev";
constexpr std::uint8_t command_dev_get = 1;
constexpr std::uint16_t attribute_ifindex = 1;
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
    GenericNetlink netlink;
    const auto family = netlink.family(family_name);
    if (!family)
        return std::nullopt;
    NetlinkRequest<genlmsghdr> request(*family, 0);
    request.head().cmd = command_dev_get;
    request.head().version = 1;
    request.add(attribute_ifindex, interface_index);
    std::optional<XdpFeatures> features;
    const int error = netlink.exchange(
        request.message(), [&](const nlmsghdr &reply) { features = read_reply(reply); });
    return error == 0 ? features : std::nullopt;
}

} // namespace dnsgauge
