// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/held_datagrams.h"

namespace dnsgauge
{

namespace
{

constexpr int batch_size = 64; // answers sent before the sockets get their turn

void set(std::vector<std::uint8_t> &octets, const void *data, std::size_t size)
{
    const auto *begin = static_cast<const std::uint8_t *>(data);
    octets.assign(begin, begin + size);
}

} // namespace

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
    // Waits busily for one answer only: if another answer is always nearly due, the sockets would
    // otherwise never get their turn.
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
