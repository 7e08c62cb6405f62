// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/netlink.h"

#include "host/setup_error.h"

#include <linux/netlink.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace dnsgauge
{

namespace
{

template <class Message>
int call(const Message *message, void *function)
{
    (*static_cast<const std::function<void(const Message *)> *>(function))(message);
    return MNL_CB_OK;
}

} // namespace

NetlinkRequest::NetlinkRequest(std::uint16_t type, std::uint16_t flags)
    : header_(mnl_nlmsg_put_header(buffer_.data()))
{
    header_->nlmsg_type = type;
    header_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
}

Netlink::Netlink() : socket_(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC), mnl_socket_close)
{
    if (!socket_ || mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0)
        throw SetupError(std::string("cannot open a netlink socket: ") + std::strerror(errno));
}

int Netlink::ask(NetlinkRequest &request, const std::function<void(const nlmsghdr *)> &take)
{
    request.header()->nlmsg_seq = ++sequence_;
    if (mnl_socket_sendto(socket_.get(), request.header(), request.header()->nlmsg_len) < 0)
        return errno;

    const bool many = (request.header()->nlmsg_flags & (NLM_F_DUMP | NLM_F_ACK)) != 0;
    std::vector<char> buffer(32768);
    auto taker = take;
    for (;;) {
        const ssize_t size = mnl_socket_recvfrom(socket_.get(), buffer.data(), buffer.size());
        if (size < 0)
            return errno;
        const int more = mnl_cb_run(buffer.data(), static_cast<std::size_t>(size), sequence_,
                                    mnl_socket_get_portid(socket_.get()), call<nlmsghdr>, &taker);
        if (more < 0)
            return errno;
        // A single answer has no end mark of its own.
        if (more == MNL_CB_STOP || !many)
            return 0;
    }
}

void for_each_attribute(const nlmsghdr *message, std::size_t fixed_size,
                        const std::function<void(const nlattr *)> &take)
{
    auto taker = take;
    mnl_attr_parse(message, static_cast<unsigned>(fixed_size), call<nlattr>, &taker);
}

} // namespace dnsgauge
