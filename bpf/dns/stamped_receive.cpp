// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/stamped_receive.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>

#include <array>
#include <cstring>

namespace dnsgauge
{

std::optional<std::int64_t> stamp_in(msghdr &message)
{
    for (cmsghdr *part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING)
            continue;
        scm_timestamping stamps{};
        std::memcpy(&stamps, CMSG_DATA(part), sizeof(stamps));
        const timespec &software = stamps.ts[0];
        if (software.tv_sec != 0 || software.tv_nsec != 0)
            return software.tv_sec * std::int64_t{1'000'000'000} + software.tv_nsec;
    }
    return std::nullopt;
}

bool stamp_arrivals(int socket)
{
    constexpr int stamping = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &stamping, sizeof(stamping)) == 0;
}

StampedOctets receive_stamped(int socket, std::span<std::uint8_t> room, int flags)
{
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(scm_timestamping))> control{};
    iovec octets{.iov_base = room.data(), .iov_len = room.size()};
    msghdr message{};
    message.msg_iov = &octets;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = recvmsg(socket, &message, flags);
    if (count < 0)
        return {.count = count};
    return {.count = count, .stamp_ns = stamp_in(message)};
}

} // namespace dnsgauge
