// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/ring_drain.h"

#include "common/setup_error.h"
#include "common/unique_fd.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

namespace
{

// False: the kernel refused.
bool ask(int fd, const Interface &interface, ethtool_value &value)
{
    ifreq request{};
    interface.name.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_data = reinterpret_cast<char *>(&value);
    return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

} // namespace

void drain_ring(const Interface &interface)
{
    const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ethtool_value is_on{.cmd = ETHTOOL_GGRO, .data = 0};
    ethtool_value off{.cmd = ETHTOOL_SGRO, .data = 0};
    ethtool_value on{.cmd = ETHTOOL_SGRO, .data = 1};
    if (!fd || !ask(fd.get(), interface, is_on) || is_on.data == 0 ||
        !ask(fd.get(), interface, off))
        return;
    if (!ask(fd.get(), interface, on))
        throw SetupError("cannot switch GRO of " + interface.name +
                         " on again: " + std::strerror(errno) + ": do it by hand (ethtool -K " +
                         interface.name + " gro on)");
}

} // namespace dnsgauge
