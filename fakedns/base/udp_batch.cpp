// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/udp_batch.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dnsgauge
{

// The control message names the target. An answer to a datagram that was sent to a group of hosts
// would come from an address that nobody asked.
std::span<const std::uint8_t> UdpQuery::target() const
{
    for (cmsghdr *control = CMSG_FIRSTHDR(&header); control != nullptr;
         control = CMSG_NXTHDR(&header, control)) {
        const std::uint8_t *data = CMSG_DATA(control);
        if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, data, sizeof(info));
            if (info.ipi_addr.s_addr == info.ipi_spec_dst.s_addr)
                return {data + offsetof(in_pktinfo, ipi_addr), sizeof(in_addr)};
        } else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, data, sizeof(info));
            if (!IN6_IS_ADDR_MULTICAST(&info.ipi6_addr))
                return {data + offsetof(in6_pktinfo, ipi6_addr), sizeof(in6_addr)};
        }
    }
    return {};
}

bool UdpQuery::can_be_answered() const
{
    return source_port(from) != 0 && !target().empty();
}

UdpBatch::UdpBatch() : room_(std::make_unique_for_overwrite<std::uint8_t[]>(size * message_room)) {}

std::size_t UdpBatch::receive(int fd, int flags)
{
    for (std::size_t i = 0; i < size; i++) {
        vectors_[i] = {room(i).data(), message_room};
        headers_[i] = {datagram_header(vectors_[i], names_[i], controls_[i].bytes), 0};
    }
    const int received = recvmmsg(fd, headers_.data(), size, flags, nullptr);
    return received < 0 ? 0 : static_cast<std::size_t>(received);
}

std::size_t send_together(int fd, std::span<mmsghdr> datagrams, int flags)
{
    std::size_t refused = 0;
    while (!datagrams.empty()) {
        const int sent =
            sendmmsg(fd, datagrams.data(), static_cast<unsigned>(datagrams.size()), flags);
        if (sent > 0) {
            datagrams = datagrams.subspan(static_cast<std::size_t>(sent));
        } else if (errno != EINTR) {
            refused++;
            datagrams = datagrams.subspan(1);
        }
    }
    return refused;
}

UdpListener::UdpListener(EventLoop &loop, const Endpoint &endpoint, Answer answer, Note note)
    : socket_(open_udp_socket(endpoint)), answer_(std::move(answer)), note_(std::move(note))
{
    if (socket_)
        loop.add(socket_.get(), EPOLLIN, *this);
}

void UdpListener::on_ready(std::uint32_t)
{
    const std::size_t received = batch_.receive(socket_.get());
    const std::uint64_t now = ktime_ns();
    const std::size_t answers = batch_.answer(received, [this, now](const UdpQuery &query) {
        return answer_(query, socket_.get(), now);
    });
    note_(now, answers, batch_.send(socket_.get(), answers));
}

} // namespace dnsgauge
