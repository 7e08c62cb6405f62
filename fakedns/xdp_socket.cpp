// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/xdp_socket.h"

#include "common/setup_error.h"

#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t frame_size = 2048;
constexpr std::uint32_t ring_size = 4096;

// A socket that was closed a moment ago still holds its queue for a while.
constexpr auto queue_patience = std::chrono::seconds(2);

} // namespace

XdpSocket::XdpSocket(const std::string &interface, std::uint32_t queue, std::uint32_t frames,
                     bool copies)
    : area_(std::size_t{frames} * frame_size, MAP_PRIVATE | MAP_ANONYMOUS, -1), copies_(frames, 0)
{
    if (area_.data() == nullptr)
        throw SetupError("no memory for the frames of an AF_XDP socket");
    const xsk_umem_config memory{.fill_size = frames,
                                 .comp_size = ring_size,
                                 .frame_size = frame_size,
                                 .frame_headroom = 0,
                                 .flags = 0};
    const int error =
        xsk_umem__create(&umem_, area_.data(), area_.size(), &fill_, &completion_, &memory);
    if (error == -EAFNOSUPPORT)
        throw SetupError("this kernel has no AF_XDP: one with CONFIG_XDP_SOCKETS is needed");
    if (error == -EPERM)
        throw SetupError("may not open an AF_XDP socket: run as root, or grant CAP_NET_RAW");
    if (error == -ENOBUFS)
        throw SetupError("may not lock the memory of an AF_XDP socket: run as root, grant "
                         "CAP_IPC_LOCK, or let the user lock more (ulimit -l)");
    if (error != 0)
        throw SetupError(std::string("AF_XDP has no memory: ") + std::strerror(-error));
    bind(interface, queue, copies);
    for (std::uint32_t i = 0; i < frames; i++)
        give_back(std::uint64_t{i} * frame_size);
}

XdpSocket::~XdpSocket()
{
    if (socket_ != nullptr)
        xsk_socket__delete(socket_);
    xsk_umem__delete(umem_);
}

bool XdpSocket::send(std::uint64_t address, std::uint32_t length, std::uint64_t copies)
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

void XdpSocket::give_back(std::uint64_t address)
{
    std::uint32_t slot = 0;
    if (xsk_ring_prod__reserve(&fill_, 1, &slot) != 1)
        return;
    *xsk_ring_prod__fill_addr(&fill_, slot) = address / frame_size * frame_size;
    xsk_ring_prod__submit(&fill_, 1);
}

bool XdpSocket::wants_kick() const
{
    return __atomic_load_n(sent_.consumer, __ATOMIC_RELAXED) !=
           __atomic_load_n(sent_.producer, __ATOMIC_RELAXED);
}

void XdpSocket::kick()
{
    is_cut_off_ = wants_kick() && sendto(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 &&
                  (errno == ENETDOWN || errno == ENXIO || errno == ENODEV);
}

void XdpSocket::reap()
{
    std::uint32_t slot = 0;
    const std::uint32_t count = xsk_ring_cons__peek(&completion_, ring_size, &slot);
    for (std::uint32_t i = 0; i < count; i++) {
        const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion_, slot + i);
        if (--copies_[address / frame_size] == 0)
            give_back(address);
    }
    if (count != 0)
        xsk_ring_cons__release(&completion_, count);
}

std::uint64_t XdpSocket::unsent() const
{
    xdp_statistics statistics{};
    socklen_t size = sizeof(statistics);
    if (getsockopt(fd(), SOL_XDP, XDP_STATISTICS, &statistics, &size) != 0)
        return 0;
    return statistics.rx_dropped + statistics.rx_ring_full + statistics.tx_invalid_descs;
}

void XdpSocket::bind(const std::string &interface, std::uint32_t queue, bool copies)
{
    const auto mode = static_cast<std::uint16_t>(copies ? XDP_COPY : 0);
    const xsk_socket_config config{.rx_size = ring_size,
                                   .tx_size = ring_size,
                                   .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
                                   .xdp_flags = 0,
                                   .bind_flags =
                                       static_cast<std::uint16_t>(mode | XDP_USE_NEED_WAKEUP)};
    const auto deadline = std::chrono::steady_clock::now() + queue_patience;
    for (;;) {
        const int error = xsk_socket__create(&socket_, interface.c_str(), queue, umem_, &received_,
                                             &sent_, &config);
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

} // namespace dnsgauge
