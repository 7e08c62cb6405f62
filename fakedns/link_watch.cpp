// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/link_watch.h"

#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

LinkWatch::LinkWatch(EventLoop &loop, std::function<void()> look)
    : look_(std::move(look)),
      messages_(socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE)),
      clock_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK;
    if (!messages_ ||
        bind(messages_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
        throw SetupError(std::string("cannot watch the interfaces: ") + std::strerror(errno));
    const itimerspec every_second{.it_interval = {1, 0}, .it_value = {1, 0}};
    if (!clock_ || timerfd_settime(clock_.get(), 0, &every_second, nullptr) != 0)
        throw SetupError(std::string("cannot make a timer: ") + std::strerror(errno));
    loop.add(messages_.get(), EPOLLIN, *this);
    loop.add(clock_.get(), EPOLLIN, *this);
}

void LinkWatch::on_ready(std::uint32_t)
{
    // The messages are thrown away: some may have been lost (ENOBUFS), and looking at the
    // interfaces tells more.
    char message = 0;
    while (recv(messages_.get(), &message, sizeof(message), 0) >= 0 || errno == ENOBUFS) {
    }
    std::uint64_t turns = 0;
    static_cast<void>(read(clock_.get(), &turns, sizeof(turns)));
    look_();
}

bool GoneInterfaces::note(const std::string &name, bool is_there)
{
    if (is_there)
        names_.erase(name);
    else if (names_.insert(name).second)
        say("fakedns: interface {} is gone: restart the server to answer there again\n", name);
    return is_there;
}

} // namespace dnsgauge
