// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/napi.h"

#include "host/netlink.h"

#include <linux/genetlink.h>

namespace dnsgauge
{

namespace
{

// As in xdp_features.cpp.
constexpr const char *netdev_family = "netdev";
constexpr std::uint8_t command_napi_get = 11;
constexpr std::uint16_t attribute_napi_ifindex = 1;
constexpr std::uint16_t attribute_napi_id = 2;

} // namespace

std::optional<std::vector<std::uint32_t>> napi_numbers(unsigned interface_index)
{
    GenericNetlink netlink;
    const auto family = netlink.family(netdev_family);
    if (!family)
        return std::nullopt;
    NetlinkRequest<genlmsghdr> request(*family, NLM_F_DUMP);
    request.head().cmd = command_napi_get;
    request.head().version = 1;
    request.add(attribute_napi_ifindex, interface_index);
    std::vector<std::uint32_t> numbers;
    const int error = netlink.exchange(request.message(), [&](const nlmsghdr &reply) {
        if (const auto number = attribute_u32<genlmsghdr>(reply, attribute_napi_id))
            numbers.push_back(*number);
    });
    return error == 0 ? std::optional(numbers) : std::nullopt;
}

} // namespace dnsgauge
