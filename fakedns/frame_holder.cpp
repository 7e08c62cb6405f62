// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/frame_holder.h"

#include "fakedns/privileges.h"

#include "fakedns/interface.h"

#include "fault_abi.h"
#include "host/setup_error.h"

#include <linux/if_xdp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <xdp/xsk.h>

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t frame_size = 2048;
constexpr std::uint32_t frames_in_all = 65536; // so many answers can wait at a time
constexpr std::uint32_t frames_least = 4096;   // of a queue
constexpr std::uint32_t ring_size = 4096;
constexpr std::uint32_t batch_size = 64;

// A socket that was closed a moment ago still holds its queue for a while.
constexpr auto queue_patience = std::chrono::seconds(2);

// Who sleeps is woken late; so much of the time to wait is waited out.
constexpr std::uint64_t wakeup_ns = 100'000;

} // namespace

// The frames of one receive queue.
class HolderQueue
{
public:
    HolderQueue(const std::string &interface, std::uint32_t queue, std::uint32_t frames)
        : area_(std::size_t{frames} * frame_size, MAP_PRIVATE | MAP_ANONYMOUS, -1),
          copies_(frames, 0)
    {
        if (area_.data() == nullptr)
            throw SetupError("no memory for answers that wait");
        const xsk_umem_config memory{.fill_size = frames,
                                     .comp_size = ring_size,
                                     .frame_size = frame_size,
                                     .frame_headroom = 0,
                                     .flags = 0};
        const int error =
            xsk_umem__create(&umem_, area_.data(), area_.size(), &fill_, &completion_, &memory);
        if (error != 0)
            throw SetupError(std::string("AF_XDP has no memory: ") + std::strerror(-error));
        bind(interface, queue);
        for (std::uint32_t i = 0; i < frames; i++)
            give_back(std::uint64_t{i} * frame_size);
    }
    HolderQueue(const HolderQueue &) = delete;
    HolderQueue &operator=(const HolderQueue &) = delete;
    ~HolderQueue()
    {
        if (socket_ != nullptr)
            xsk_socket__delete(socket_);
        xsk_umem__delete(umem_);
    }

    [[nodiscard]] int fd() const { return xsk_socket__fd(socket_); }

    // Calls visit(fault_held, address, length) for frames that have arrived; how many.
    template <class Visit>
    std::uint32_t take(Visit &&visit)
    {
        std::uint32_t slot = 0;
        const std::uint32_t count = xsk_ring_cons__peek(&received_, batch_size, &slot);
        for (std::uint32_t i = 0; i < count; i++) {
            const xdp_desc &frame = *xsk_ring_cons__rx_desc(&received_, slot + i);
            fault_held held{};
            const auto *packet =
                static_cast<const std::uint8_t *>(xsk_umem__get_data(area_.data(), frame.addr));
            std::memcpy(&held, packet - sizeof(held), sizeof(held));
            visit(held, frame.addr, frame.len);
        }
        if (count != 0)
            xsk_ring_cons__release(&received_, count);
        return count;
    }

    // False when there is no room for all the copies at the moment.
    bool send(std::uint64_t address, std::uint32_t length, std::uint64_t copies)
    {
        std::uint32_t slot = 0;
        const auto count = static_cast<std::uint32_t>(copies);
        if (xsk_ring_prod__reserve(&sent_, count, &slot) != count)
            return false;
        for (std::uint32_t i = 0; i < count; i++) {
            xdp_desc &frame = *xsk_ring_prod__tx_desc(&sent_, slot + i);
            frame.addr = address;
            frame.len = length;
            frame.options = 0;
        }
        copies_[address / frame_size] = static_cast<std::uint8_t>(count);
        xsk_ring_prod__submit(&sent_, count);
        return true;
    }

    // Are there frames on the ring that the kernel has not taken yet?
    [[nodiscard]] bool wants_kick() const
    {
        return __atomic_load_n(sent_.consumer, __ATOMIC_RELAXED) !=
               __atomic_load_n(sent_.producer, __ATOMIC_RELAXED);
    }

    // What the kernel does not take now is offered again.
    void kick()
    {
        if (wants_kick())
            static_cast<void>(sendto(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0));
    }

    // Frames whose last copy has gone may be received into again.
    void reap()
    {
        std::uint32_t slot = 0;
        const std::uint32_t count = xsk_ring_cons__peek(&completion_, ring_size, &slot);
        for (std::uint32_t i = 0; i < count; i++) {
            const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion_, slot + i);
            if (--copies_[address / frame_size] == 0)
                give_back(address / frame_size * frame_size);
        }
        if (count != 0)
            xsk_ring_cons__release(&completion_, count);
    }

    [[nodiscard]] std::uint64_t unsent() const
    {
        xdp_statistics statistics{};
        socklen_t size = sizeof(statistics);
        if (getsockopt(fd(), SOL_XDP, XDP_STATISTICS, &statistics, &size) != 0)
            return 0;
        return statistics.rx_dropped + statistics.rx_ring_full + statistics.tx_invalid_descs;
    }

private:
    void bind(const std::string &interface, std::uint32_t queue)
    {
        const xsk_socket_config config{.rx_size = ring_size,
                                       .tx_size = ring_size,
                                       .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
                                       .xdp_flags = 0,
                                       .bind_flags = XDP_COPY | XDP_USE_NEED_WAKEUP};
        const auto deadline = std::chrono::steady_clock::now() + queue_patience;
        for (;;) {
            const int error = xsk_socket__create(&socket_, interface.c_str(), queue, umem_,
                                                 &received_, &sent_, &config);
            if (error == 0)
                return;
            socket_ = nullptr;
            if (error != -EBUSY || std::chrono::steady_clock::now() > deadline) {
                xsk_umem__delete(umem_);
                throw SetupError("cannot bind AF_XDP to queue " + std::to_string(queue) + " of " +
                                 interface + ": " + std::strerror(-error));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    void give_back(std::uint64_t address)
    {
        std::uint32_t slot = 0;
        if (xsk_ring_prod__reserve(&fill_, 1, &slot) != 1)
            return;
        *xsk_ring_prod__fill_addr(&fill_, slot) = address;
        xsk_ring_prod__submit(&fill_, 1);
    }

    MappedMemory area_;
    std::vector<std::uint8_t> copies_; // of each frame: with the kernel
    xsk_umem *umem_ = nullptr;
    xsk_socket *socket_ = nullptr;
    xsk_ring_prod fill_{};
    xsk_ring_cons completion_{};
    xsk_ring_cons received_{};
    xsk_ring_prod sent_{};
};

FrameHolder::FrameHolder(const std::string &interface, std::optional<unsigned> cpu)
    : stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), is_busy_(cpu.has_value())
{
    const std::uint32_t count = receive_queues(interface);
    if (count > FAULT_QUEUES_MAX)
        throw SetupError(interface + " has " + std::to_string(count) +
                         " receive queues: ethtool -L it to " + std::to_string(FAULT_QUEUES_MAX));
    std::uint32_t frames = frames_in_all;
    while (frames > frames_least && frames * count > frames_in_all)
        frames /= 2;
    for (std::uint32_t queue = 0; queue < count; queue++)
        queues_.push_back(std::make_unique<HolderQueue>(interface, queue, frames));
    thread_ = std::thread([this] { run(); });
    if (cpu)
        pin(*cpu);
}

FrameHolder::~FrameHolder()
{
    const std::uint64_t one = 1;
    stops_ = true;
    static_cast<void>(write(stop_event_.get(), &one, sizeof(one)));
    thread_.join();
}

void FrameHolder::pin(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (pthread_setaffinity_np(thread_.native_handle(), sizeof(set), &set) == 0)
        return;
    stops_ = true;
    thread_.join();
    throw SetupError("--fault-cpu " + std::to_string(cpu) + ": there is no such CPU for us");
}

std::vector<int> FrameHolder::sockets() const
{
    std::vector<int> sockets;
    for (const auto &queue : queues_)
        sockets.push_back(queue->fd());
    return sockets;
}

std::uint64_t FrameHolder::unsent() const
{
    std::uint64_t sum = 0;
    for (const auto &queue : queues_)
        sum += queue->unsent();
    return sum;
}

void FrameHolder::run()
{
    // Of the time we ask to sleep the kernel makes no more than that.
    prctl(PR_SET_TIMERSLACK, 1);
    // Capabilities are a thread's own.
    drop_privileges({}, false);
    while (!stops_) {
        take();
        send_due();
        for (const auto &queue : queues_) {
            queue->kick();
            queue->reap();
        }
        waiting_ = held_.size();
        if (!is_busy_)
            sleep_until_needed();
    }
}

void FrameHolder::take()
{
    for (std::uint32_t i = 0; i < queues_.size(); i++) {
        const auto hold = [this, i](const fault_held &held, std::uint64_t address,
                                    std::uint32_t length) {
            held_.push(held.due_ns, {i, length, address, held.copies});
        };
        while (queues_[i]->take(hold) != 0) {
        }
    }
}

void FrameHolder::send_due()
{
    while (!held_.empty() && held_.due_ns() <= monotonic_ns()) {
        const Held &first = held_.top();
        HolderQueue &queue = *queues_[first.queue];
        if (!queue.send(first.address, first.length, first.copies))
            return;
        held_.pop();
        queue.kick();
    }
}

void FrameHolder::sleep_until_needed()
{
    for (const auto &queue : queues_)
        if (queue->wants_kick())
            return;
    timespec patience{};
    if (!held_.empty()) {
        const std::uint64_t now = monotonic_ns();
        if (held_.due_ns() < now + 2 * wakeup_ns)
            return;
        const std::uint64_t ns = held_.due_ns() - now - wakeup_ns;
        patience.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
        patience.tv_nsec = static_cast<long>(ns % 1'000'000'000);
    }
    std::vector<pollfd> events{{stop_event_.get(), POLLIN, 0}};
    for (const auto &queue : queues_)
        events.push_back({queue->fd(), POLLIN, 0});
    ppoll(events.data(), events.size(), held_.empty() ? nullptr : &patience, nullptr);
}

} // namespace dnsgauge
