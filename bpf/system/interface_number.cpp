// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/interface_number.h"

#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace dnsgauge
{

int ask_interface(unsigned long question, ifreq &request)
{
    const UniqueFd any(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return any && ioctl(any.get(), question, &request) == 0 ? 0 : errno;
}

unsigned interface_number(const std::string &name)
{
    ifreq request{};
    if (name.empty() || name.size() >= IFNAMSIZ)
        return 0;
    name.copy(static_cast<char *>(request.ifr_name), IFNAMSIZ - 1);
    const int error = ask_interface(SIOCGIFINDEX, request);
    if (error == ENODEV)
        return 0;
    if (error != 0)
        throw SetupError("cannot ask for the interface " + name + ": " + std::strerror(error));
    return static_cast<unsigned>(request.ifr_ifindex);
}

std::string interface_name(unsigned number)
{
    ifreq request{};
    request.ifr_ifindex = static_cast<int>(number);
    const int error = ask_interface(SIOCGIFNAME, request);
    if (error == ENODEV || error == ENXIO)
        return {};
    if (error != 0)
        throw SetupError(std::string("cannot ask for an interface: ") + std::strerror(error));
    return static_cast<const char *>(request.ifr_name);
}

} // namespace dnsgauge
