// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/napi.h"

#include "host/netlink.h"

#include <linux/genetlink.h>

namespace dnsgauge
{

namespace
{

// As in xdp_features.cpp.
constexpr std::uint8_t command_napi_get = 11;
constexpr std::uint16_t attribute_napi_id = 2;

} // namespace

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
