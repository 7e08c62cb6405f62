// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/udp_batch.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr int batch_size = 64; // answers that are sent before the sockets get their turn

void set(std::vector<std::uint8_t> &octets, const void *data, std::size_t size)
{
    const auto *begin = static_cast<const std::uint8_t *>(data);
    octets.assign(begin, begin + size);
}

} // namespace

// Reads the target from the control message. Ignores a group's address: the answer would come from
// an address that nobody asked.
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

HeldDatagrams::HeldDatagrams(EventLoop &loop, std::size_t most, Punctuality punctuality)
    : most_(most), punctuality_(punctuality), timer_(loop, [this] {
          send_due();
          arm();
      })
{
}

void HeldDatagrams::hold(int fd, std::span<const std::uint8_t> message, const msghdr &header,
                         std::uint64_t due_ns)
{
    if (waiting_.size() >= most_) {
        unsent_++;
        return;
    }
    waiting_.push(due_ns, copy(fd, message, header));
    arm();
}

void HeldDatagrams::send_now(int fd, std::span<const std::uint8_t> message, const msghdr &header)
{
    // sendmsg() changes nothing that this pointer points to.
    iovec vector{const_cast<std::uint8_t *>(message.data()), message.size()};
    msghdr answer = header;
    answer.msg_iov = &vector;
    answer.msg_iovlen = 1;
    if (sendmsg(fd, &answer, MSG_DONTWAIT) < 0)
        unsent_++;
}

HeldDatagrams::Place HeldDatagrams::copy(int fd, std::span<const std::uint8_t> message,
                                         const msghdr &header)
{
    if (free_.empty()) {
        free_.push_back(static_cast<Place>(datagrams_.size()));
        datagrams_.emplace_back();
    }
    const Place place = free_.back();
    free_.pop_back();
    Datagram &datagram = datagrams_[place];
    datagram.fd = fd;
    set(datagram.message, message.data(), message.size());
    set(datagram.name, header.msg_name, header.msg_namelen);
    set(datagram.control, header.msg_control, header.msg_controllen);
    return place;
}

// Sends a datagram, and frees its place.
void HeldDatagrams::send(Place place)
{
    Datagram &datagram = datagrams_[place];
    msghdr header{};
    header.msg_name = datagram.name.data();
    header.msg_namelen = static_cast<socklen_t>(datagram.name.size());
    header.msg_control = datagram.control.data();
    header.msg_controllen = datagram.control.size();
    send_now(datagram.fd, datagram.message, header);
    free_.push_back(place);
}

void HeldDatagrams::send_due()
{
    // Waits busily for only one answer. Otherwise, if another answer were always nearly due, the
    // sockets would never get their turn.
    if (!waiting_.empty() && wakeup_for(waiting_.due_ns(), punctuality_) <= ktime_ns())
        while (waiting_.due_ns() > ktime_ns()) {
        }
    for (int i = 0; i < batch_size && !waiting_.empty() && waiting_.due_ns() <= ktime_ns(); i++) {
        send(waiting_.top());
        waiting_.pop();
    }
}

void HeldDatagrams::arm()
{
    if (!waiting_.empty())
        timer_.set(wakeup_for(waiting_.due_ns(), punctuality_));
}

} // namespace dnsgauge
