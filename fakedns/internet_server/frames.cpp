// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet_server/frames.h"

#include "base/interface.h"

#include "internet_abi.h"
#include "system/setup_error.h"
#include "wire/packet.h"
#include "wire/token_bucket.h"
#include "xsk/return_socket.h"

#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "internet.skel.h"

namespace dnsgauge
{

namespace
{

constexpr unsigned ipv6_udp_headers = 48;

constexpr int kicks_most = 16; // in a row; in copy mode the kernel sends 32 frames for one kick

// The time until the next kick if the driver has no room.
constexpr std::uint64_t retry_ns = 50'000;

bool is_zero(const LatencyQuantiles &quantiles)
{
    return std::ranges::all_of(quantiles, [](std::uint64_t latency) { return latency == 0; });
}

// Returns the frames of each of `queues` queues.
std::uint32_t frames_for(const WorldOptions &world, std::uint32_t queues)
{
    if (is_zero(world.latency) && is_zero(world.registry_latency) && is_zero(world.slow_latency))
        return ReturnSocket::frames_least;
    return ReturnSocket::frames_to_hold(queues);
}

internet_prefix program_prefix(const IpPrefix &prefix)
{
    internet_prefix made{};
    std::array<std::uint8_t, 16> mask{};
    for (unsigned bit = 0; bit < prefix.length; bit++)
        mask[bit / 8] |= static_cast<std::uint8_t>(0x80U >> bit % 8);
    static_assert(sizeof(made.mask) == sizeof(mask) && sizeof(made.first) == sizeof(mask));
    std::memcpy(&made.mask, mask.data(), sizeof(mask));
    std::memcpy(&made.first, prefix.first.bytes.data(), sizeof(mask));
    return made;
}

Skeleton<internet> load(const WorldOptions &world, std::uint16_t port)
{
    Skeleton<internet> skeleton = open_skeleton<internet>();
    skeleton->rodata->config = {.ipv4 = program_prefix(world.ipv4),
                                .ipv6 = program_prefix(world.ipv6),
                                .port = port,
                                .has_ipv6 = world.ipv6.length != 0};
    load_object(skeleton->obj, "internet");
    return skeleton;
}

std::uint32_t queues_of(const std::string &interface)
{
    const unsigned mtu = interface_mtu(interface);
    if (mtu < world_udp_room + ipv6_udp_headers)
        throw SetupError("the MTU of {} is {}: no answer of {} octets fits into a frame", interface,
                         mtu, world_udp_room);
    return receive_queues(interface, INTERNET_QUEUES_MAX);
}

} // namespace

// One receive queue.
class InternetFrames::Queue : public EventHandler
{
public:
    Queue(InternetFrames &all, const std::string &interface, std::uint32_t number,
          std::uint32_t frames)
        : all_(all), socket_(interface, number, frames, CopyMode::copy)
    {
    }

    void on_ready(std::uint32_t) override
    {
        socket_.take(
            [this](std::uint64_t address, std::uint32_t length) { answer(address, length); });
        all_.send_due();
    }

    // Returns false when there is no room at the moment.
    bool send(const Held &frame) { return socket_.send(frame.address, frame.length, 1); }

    // Makes the kernel send, and takes back frames that it has sent.
    void flush()
    {
        for (int i = 0; i < kicks_most && socket_.wants_kick(); i++)
            socket_.kick();
        socket_.reap();
    }

    [[nodiscard]] bool wants_kick() const { return socket_.wants_kick(); }
    [[nodiscard]] bool is_cut_off() const { return socket_.is_cut_off(); }
    [[nodiscard]] int fd() const { return socket_.fd(); }
    [[nodiscard]] std::uint64_t unsent() const { return socket_.unsent(); }

private:
    void answer(std::uint64_t address, std::uint32_t length);

    InternetFrames &all_;
    ReturnSocket socket_;
};

void InternetFrames::Queue::answer(std::uint64_t address, std::uint32_t length)
{
    std::uint8_t *const bytes = socket_.bytes(address);
    wire_cursor message{bytes, bytes + length};
    packet packet{};
    // Cannot fail: the kernel's program has checked the same.
    if (packet_read(&message, &packet) != PACKET_UDP || packet_padding(&packet, length) < 0)
        return socket_.give_back(address);
    const std::span<std::uint8_t> frame(bytes, ReturnSocket::room(address));
    const std::size_t payload = std::size_t{packet.udp_offset} + PACKET_UDP_SIZE;
    const std::span<const std::uint8_t> target =
        packet.is_ipv6 != 0 ? frame.subspan(packet.ip_offset + PACKET_IPV6_TARGET, 16)
                            : frame.subspan(packet.ip_offset + PACKET_IPV4_TARGET, 4);
    const std::uint64_t network = token_bucket_network(
        bytes + packet.ip_offset + (packet.is_ipv6 != 0 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE),
        packet.is_ipv6);
    const WorldAnswer answer =
        all_.answer_(target, network, frame.subspan(payload), packet.udp_length - PACKET_UDP_SIZE);
    const std::size_t end = payload + answer.length;
    if (answer.length == 0 ||
        packet_complete({bytes, bytes + end}, &packet, static_cast<__u32>(answer.length), 1,
                        PACKET_DATAGRAM_MAX) == 0)
        return socket_.give_back(address);
    const Held held{this, address, static_cast<std::uint32_t>(end)};
    if (answer.delay_ns != 0 || !send(held))
        all_.held_.push(ktime_ns() + answer.delay_ns, held);
}

InternetFrames::InternetFrames(EventLoop &loop, const std::string &interface, XdpMode mode,
                               const WorldOptions &world, std::uint16_t port, Answer answer)
    : answer_(std::move(answer)), timer_(loop, [this] { send_due(); }), skeleton_(load(world, port))
{
    const std::uint32_t count = queues_of(interface);
    for (std::uint32_t number = 0; number < count; number++) {
        queues_.push_back(
            std::make_unique<Queue>(*this, interface, number, frames_for(world, count)));
        const int fd = queues_.back()->fd();
        hand_xdp_socket(bpf_map__fd(skeleton_->maps.sockets), number, fd);
        loop.add(fd, EPOLLIN, *queues_.back());
    }
    link_.emplace(bpf_program__fd(skeleton_->progs.internet), interface, mode);
}

InternetFrames::~InternetFrames() = default;

std::uint64_t InternetFrames::unsent() const
{
    std::uint64_t sum = 0;
    for (const auto &queue : queues_)
        sum += queue->unsent();
    return sum;
}

// Sends what is due, and what was put on the rings.
void InternetFrames::send_due()
{
    const std::uint64_t now = ktime_ns();
    while (!held_.empty() && held_.due_ns() <= now && held_.top().queue->send(held_.top()))
        held_.pop();
    for (const auto &queue : queues_)
        queue->flush();
    arm();
}

// Sets the timer for the next due frame, or for frames for which the driver had no room. If the
// interface is down or gone, nothing can leave.
void InternetFrames::arm()
{
    if (std::ranges::any_of(queues_, [](const auto &queue) { return queue->is_cut_off(); }))
        return timer_.set(ktime_ns() +
                          static_cast<std::uint64_t>(
                              std::chrono::nanoseconds(ReturnSocket::cut_off_pause).count()));
    std::uint64_t at = ~std::uint64_t{0};
    if (!held_.empty())
        at = wakeup_for(held_.due_ns(), Punctuality::together);
    if (std::ranges::any_of(queues_, [](const auto &queue) { return queue->wants_kick(); })) {
        const std::uint64_t now = ktime_ns();
        if (retry_at_ns_ <= now)
            retry_at_ns_ = now + retry_ns;
        at = std::min(at, retry_at_ns_);
    }
    if (at != ~std::uint64_t{0})
        timer_.set(at);
}

} // namespace dnsgauge
