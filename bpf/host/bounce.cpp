// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/bounce.h"

#include "host/ethtool.h"
#include "host/netdev.h"
#include "system/interface_number.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::array<std::string_view, 1> drivers_that_need_redirect{"veth"};

} // namespace

bool must_redirect(const std::string &interface)
{
    const std::string driver = Ethtool(interface).driver();
    return std::ranges::find(drivers_that_need_redirect, driver) !=
           drivers_that_need_redirect.end();
}

BounceMode veth_bounce_mode(const std::string &interface, XdpMode wanted,
                            std::optional<bool> other_end_polls, bool has_gro)
{
    if (other_end_polls.value_or(has_gro))
        return {wanted};
    const std::string cause =
        other_end_polls
            ? "the other end of " + interface +
                  "'s veth pair does not poll (there: ethtool -K INTERFACE gro on)"
            : "this kernel does not tell whether the other end of " + interface +
                  "'s veth pair polls, and " + interface +
                  " itself has GRO off (switch it on at both ends: ethtool -K INTERFACE gro on)";
    if (wanted == XdpMode::native)
        return {wanted,
                cause + ": frames that native XDP sends to an end that does not poll are lost"};
    return {XdpMode::generic, cause + ": the program runs in generic mode instead of native"};
}

BounceMode bounce_mode(const std::string &interface, XdpMode wanted)
{
    if (wanted == XdpMode::generic || !must_redirect(interface))
        return {wanted};
    const auto features = read_xdp_features(interface_number(interface));
    return veth_bounce_mode(interface, wanted,
                            features ? std::optional(features->takes_redirects) : std::nullopt,
                            Ethtool(interface).has_gro());
}

} // namespace dnsgauge
