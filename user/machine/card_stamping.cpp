// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/card_stamping.h"

#include "system/setup_error.h"

#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

// Makes the request SIOCGHWTSTAMP or SIOCSHWTSTAMP. Returns 0 or the errno.
int exchange(int socket, const std::string &interface, unsigned long request,
             hwtstamp_config &config)
{
    ifreq wrapped{};
    interface.copy(wrapped.ifr_name, sizeof(wrapped.ifr_name) - 1);
    wrapped.ifr_data = reinterpret_cast<char *>(&config);
    return ioctl(socket, request, &wrapped) == 0 ? 0 : errno;
}

bool stamps_all(const hwtstamp_config &config)
{
    return config.tx_type == HWTSTAMP_TX_ON && config.rx_filter == HWTSTAMP_FILTER_ALL;
}

} // namespace

CardStamping::CardStamping(const std::string &interface)
    : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)), interface_(interface)
{
    hwtstamp_config before{};
    int error = exchange(socket_.get(), interface_, SIOCGHWTSTAMP, before);
    if (error == 0 && stamps_all(before))
        return;
    hwtstamp_config wanted{};
    wanted.tx_type = HWTSTAMP_TX_ON;
    wanted.rx_filter = HWTSTAMP_FILTER_ALL;
    if (error == 0)
        error = exchange(socket_.get(), interface_, SIOCSHWTSTAMP, wanted);
    if (error != 0)
        throw UnsupportedError("cannot have " + interface_ + " stamp every packet (" +
                               std::strerror(error) + "): leave --hardware-timestamps at auto");
    // A driver that does less than was asked for changes `wanted`.
    if (!stamps_all(wanted)) {
        exchange(socket_.get(), interface_, SIOCSHWTSTAMP, before);
        throw UnsupportedError("the driver of " + interface_ +
                               " does not stamp every packet: leave --hardware-timestamps at auto");
    }
    before_ = before;
}

CardStamping::~CardStamping()
{
    if (before_)
        exchange(socket_.get(), interface_, SIOCSHWTSTAMP, *before_);
}

} // namespace dnsgauge
