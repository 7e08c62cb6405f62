// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/bounce.h"

#include "common/setup_error.h"
#include "common/unique_fd.h"
#include "host/xdp_features.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::array<std::string_view, 1> drivers_that_need_redirect{"veth"};

// Returns an empty name where the driver does not tell.
std::string driver_of(const std::string &interface)
{
    const UniqueFd socket_fd{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket_fd)
        throw SetupError(std::string("cannot open a socket: ") + std::strerror(errno));
    ethtool_drvinfo driver{};
    driver.cmd = ETHTOOL_GDRVINFO;
    ifreq request{};
    interface.copy(static_cast<char *>(request.ifr_name), IFNAMSIZ - 1);
    request.ifr_data = reinterpret_cast<char *>(&driver);
    if (ioctl(socket_fd.get(), SIOCETHTOOL, &request) != 0)
        return {};
    return {driver.driver, strnlen(driver.driver, sizeof(driver.driver))};
}

} // namespace

bool must_redirect(const std::string &interface)
{
    const std::string driver = driver_of(interface);
    return std::ranges::find(drivers_that_need_redirect, driver) !=
           drivers_that_need_redirect.end();
}

BounceMode bounce_mode(const std::string &interface, XdpMode wanted)
{
    if (wanted == XdpMode::generic || !must_redirect(interface))
        return {wanted};
    const auto features = read_xdp_features(if_nametoindex(interface.c_str()));
    if (!features || features->takes_redirects)
        return {wanted};
    const std::string cause = "the other end of " + interface +
                              "'s veth pair does not poll (there: ethtool -K INTERFACE gro on)";
    if (wanted == XdpMode::native)
        return {wanted, cause + ": what native XDP sends is lost as long as that is so"};
    return {XdpMode::generic, cause + ": generic XDP instead of native"};
}

} // namespace dnsgauge
