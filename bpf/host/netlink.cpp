// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/netlink.h"

#include "system/setup_error.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <vector>

namespace dnsgauge
{

namespace
{

// The most that the kernel puts into one datagram.
constexpr std::size_t largest_datagram = 32768;

using Visitor = std::function<void(const nlmsghdr &)>;

int visit_message(const nlmsghdr *message, void *visitor)
{
    if (const auto &visit = *static_cast<const Visitor *>(visitor); visit)
        visit(*message);
    return MNL_CB_OK;
}

[[noreturn]] void fail(int error)
{
    throw SetupError(std::string("cannot talk to the kernel over netlink: ") +
                     std::strerror(error));
}

} // namespace

Netlink::Netlink(int protocol) : socket_(mnl_socket_open2(protocol, SOCK_CLOEXEC))
{
    if (!socket_ || mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) != 0)
        fail(errno);
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    if (setsockopt(mnl_socket_get_fd(socket_.get()), SOL_SOCKET, SO_RCVTIMEO, &patience,
                   sizeof(patience)) != 0)
        fail(errno);
}

int Netlink::exchange(nlmsghdr &request, const Visitor &visit)
{
    request.nlmsg_seq = ++sequence_;
    if (mnl_socket_sendto(socket_.get(), &request, request.nlmsg_len) < 0)
        fail(errno);
    std::vector<char> buffer(largest_datagram);
    Visitor visitor = visit;
    for (;;) {
        const ssize_t size = mnl_socket_recvfrom(socket_.get(), buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            fail(errno);
        const int outcome =
            mnl_cb_run(buffer.data(), static_cast<std::size_t>(size), sequence_,
                       mnl_socket_get_portid(socket_.get()), visit_message, &visitor);
        if (outcome == MNL_CB_STOP)
            return 0;
        if (outcome < 0)
            return errno;
    }
}

std::span<const std::uint8_t> attribute_after(const nlmsghdr &message, unsigned head_size,
                                              std::uint16_t type)
{
    const auto *each =
        static_cast<const nlattr *>(mnl_nlmsg_get_payload_offset(&message, head_size));
    const auto *const end = static_cast<const char *>(mnl_nlmsg_get_payload_tail(&message));
    for (; mnl_attr_ok(each, static_cast<int>(end - reinterpret_cast<const char *>(each)));
         each = mnl_attr_next(each))
        if (mnl_attr_get_type(each) == type)
            return {static_cast<const std::uint8_t *>(mnl_attr_get_payload(each)),
                    mnl_attr_get_payload_len(each)};
    return {};
}

} // namespace dnsgauge
