// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/responder_udp.h"

#include "base/sockets.h"
#include "fakedns/misbehaviour.h"
#include "fakedns/responder.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>

namespace dnsgauge
{

namespace
{

constexpr std::size_t batch_size = 64;
constexpr std::size_t message_room = 65536; // for any datagram, and for any answer

std::uint64_t now_ns()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}

// Returns whether the datagram was sent to a group of hosts, as the control message says. Its
// answer would come from an address that nobody asked.
bool is_to_group(const msghdr &header)
{
    const cmsghdr *control = CMSG_FIRSTHDR(&header);
    if (control == nullptr)
        return true;
    if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
        in_pktinfo info{};
        std::memcpy(&info, CMSG_DATA(control), sizeof(info));
        return info.ipi_addr.s_addr != info.ipi_spec_dst.s_addr;
    }
    if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
        in6_pktinfo info{};
        std::memcpy(&info, CMSG_DATA(control), sizeof(info));
        return IN6_IS_ADDR_MULTICAST(&info.ipi6_addr);
    }
    return true;
}

} // namespace

// Datagrams received together. The control message that names a query's target goes back unchanged
// with the answer, and there sets the answer's source.
class UdpBatch
{
public:
    UdpBatch() : room_(std::make_unique_for_overwrite<std::uint8_t[]>(batch_size * message_room)) {}

    // Returns the number of datagrams received; 0 if there are none.
    std::size_t receive(int fd)
    {
        for (std::size_t i = 0; i < batch_size; i++)
            prepare(i);
        const int received = recvmmsg(fd, headers_.data(), batch_size, MSG_DONTWAIT, nullptr);
        return received < 0 ? 0 : static_cast<std::size_t>(received);
    }

    // Replaces each of `count` queries by its answer, and moves answers up into the places of
    // queries without one. Returns the number of answers.
    std::size_t answer(int fd, std::size_t count, const answer_zones &zones, UdpService &service)
    {
        const std::uint64_t now = now_ns();
        std::size_t answers = 0;
        for (std::size_t i = 0; i < count; i++) {
            msghdr &header = headers_[i].msg_hdr;
            Answered answered;
            if (source_port(names_[i]) != 0 && !is_to_group(header)) {
                if (!service.limiter.may_answer(names_[i], now)) {
                    service.counters.add(FAKEDNS_LIMITED);
                    continue;
                }
                answered = service.misbehaviour != nullptr
                               ? service.misbehaviour->answer(room(i), headers_[i].msg_len, zones,
                                                              fd, header)
                               : answer_message(room(i), headers_[i].msg_len, zones);
            }
            service.counters.add(answered.kind, answered.type);
            if (answered.length == 0)
                continue;
            vectors_[i].iov_len = answered.length;
            header.msg_flags = 0;
            headers_[answers++].msg_hdr = header;
        }
        return answers;
    }

    // Sends the answers. Skips and counts an answer that the stack refuses: its client will ask
    // again.
    void send(int fd, std::size_t count, Counters &counters)
    {
        std::size_t done = 0;
        while (done < count) {
            const int sent =
                sendmmsg(fd, &headers_[done], static_cast<unsigned>(count - done), MSG_DONTWAIT);
            if (sent > 0) {
                done += static_cast<std::size_t>(sent);
            } else if (errno != EINTR) {
                counters.add(COUNTER_UNSENT);
                done++;
            }
        }
    }

private:
    std::span<std::uint8_t> room(std::size_t i) { return {&room_[i * message_room], message_room}; }

    void prepare(std::size_t i)
    {
        vectors_[i] = {room(i).data(), message_room};
        headers_[i] = {};
        msghdr &header = headers_[i].msg_hdr;
        header.msg_name = &names_[i];
        header.msg_namelen = sizeof(names_[i]);
        header.msg_iov = &vectors_[i];
        header.msg_iovlen = 1;
        header.msg_control = controls_[i].bytes.data();
        header.msg_controllen = controls_[i].bytes.size();
    }

    struct alignas(cmsghdr) Control {
        std::array<std::uint8_t, CMSG_SPACE(sizeof(in6_pktinfo))> bytes;
    };

    std::unique_ptr<std::uint8_t[]> room_; // only the pages that messages reach are ever touched
    std::array<mmsghdr, batch_size> headers_{};
    std::array<iovec, batch_size> vectors_{};
    std::array<sockaddr_storage, batch_size> names_{};
    std::array<Control, batch_size> controls_{};
};

UdpResponder::UdpResponder(EventLoop &loop, const Endpoint &endpoint, const answer_zones &zones,
                           UdpService &service)
    : socket_(open_udp_socket(endpoint)), batch_(std::make_unique<UdpBatch>()), zones_(zones),
      service_(service)
{
    if (socket_)
        loop.add(socket_.get(), EPOLLIN, *this);
}

UdpResponder::~UdpResponder() = default;

void UdpResponder::on_ready(std::uint32_t)
{
    const std::size_t received = batch_->receive(socket_.get());
    const std::uint64_t begin = now_ns();
    const std::size_t answers = batch_->answer(socket_.get(), received, zones_, service_);
    batch_->send(socket_.get(), answers, service_.counters);
    service_.times.add(now_ns() - begin, answers);
}

} // namespace dnsgauge
