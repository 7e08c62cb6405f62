// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/tx_socket.h"

#include "host/setup_error.h"

#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace dnsgauge
{

namespace
{

// A socket that was closed a moment ago still holds its queue for a while.
constexpr auto queue_patience = std::chrono::seconds(2);

constexpr int busy_poll_us = 20;
constexpr int busy_poll_budget = 64; // packets a poll: what NAPI takes by itself

std::uint16_t bind_flags(CopyMode mode)
{
    switch (mode) {
    case CopyMode::automatic:
        return XDP_USE_NEED_WAKEUP;
    case CopyMode::copy:
        return XDP_USE_NEED_WAKEUP | XDP_COPY;
    case CopyMode::zero_copy:
        break;
    }
    return XDP_USE_NEED_WAKEUP | XDP_ZEROCOPY;
}

std::string why_not(int error, const std::string &interface, std::uint32_t queue)
{
    const std::string where = "queue " + std::to_string(queue) + " of " + interface;
    switch (error) {
    case EBUSY:
        return where + " is taken by another AF_XDP socket: stop that program, or use other queues";
    case EINVAL:
        return "AF_XDP cannot use " + where + ": is there such a queue (ethtool -l " + interface +
               ")?";
    case EOPNOTSUPP:
    case EPROTONOSUPPORT:
        return "the driver of " + interface + " has no zero-copy AF_XDP: leave --af-xdp at auto";
    case EAFNOSUPPORT:
        return "this kernel has no AF_XDP: CONFIG_XDP_SOCKETS is needed";
    case EPERM:
        return "may not open an AF_XDP socket: run as root, or grant CAP_NET_RAW";
    default:
        return "cannot bind AF_XDP to " + where + ": " + std::strerror(error);
    }
}

void poll_busily(int socket, const std::string &interface)
{
    for (const auto &[option, value] :
         {std::pair{SO_PREFER_BUSY_POLL, 1}, std::pair{SO_BUSY_POLL, busy_poll_us},
          std::pair{SO_BUSY_POLL_BUDGET, busy_poll_budget}})
        if (setsockopt(socket, SOL_SOCKET, option, &value, sizeof(value)) != 0)
            throw SetupError("cannot poll " + interface + " busily (" + std::strerror(errno) +
                             "): needs Linux 5.11 and CAP_NET_ADMIN, or leave --busy-poll out");
}

bool uses_zero_copy(const xsk_socket *socket)
{
    xdp_options options{};
    socklen_t size = sizeof(options);
    return getsockopt(xsk_socket__fd(socket), SOL_XDP, XDP_OPTIONS, &options, &size) == 0 &&
           (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
}

} // namespace

TxSocket::TxSocket(const std::string &interface, std::uint32_t queue, Umem &umem,
                   const TxOptions &options)
    : umem_(umem)
{
    xsk_socket_config config{};
    config.tx_size = umem.send_frames();
    config.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD;
    config.bind_flags = bind_flags(options.copy_mode);

    const auto deadline = std::chrono::steady_clock::now() + queue_patience;
    for (;;) {
        xsk_socket *socket = nullptr;
        const int error = xsk_socket__create(&socket, interface.c_str(), queue, umem.umem_.get(),
                                             nullptr, &tx_, &config);
        if (error == 0) {
            socket_.reset(socket);
            break;
        }
        if (error != -EBUSY || std::chrono::steady_clock::now() > deadline)
            throw SetupError(why_not(-error, interface, queue));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    zero_copy_ = uses_zero_copy(socket_.get());
    if (options.busy_poll)
        poll_busily(xsk_socket__fd(socket_.get()), interface);
}

std::uint32_t TxSocket::room(std::uint32_t wanted)
{
    return std::min({wanted, umem_.free_frames(), xsk_prod_nb_free(&tx_, wanted)});
}

void TxSocket::queue(std::uint64_t address, std::uint32_t length)
{
    std::uint32_t slot = 0;
    xsk_ring_prod__reserve(&tx_, 1, &slot);
    xdp_desc *descriptor = xsk_ring_prod__tx_desc(&tx_, slot);
    descriptor->addr = address;
    descriptor->len = length;
    descriptor->options = 0;
    umem_.hand_over(address);
    queued_++;
}

void TxSocket::submit()
{
    xsk_ring_prod__submit(&tx_, queued_);
    queued_ = 0;
}

Kick TxSocket::kick()
{
    if (xsk_ring_prod__needs_wakeup(&tx_) == 0)
        return Kick::done;
    const std::uint32_t taken = __atomic_load_n(tx_.consumer, __ATOMIC_RELAXED);
    if (sendto(xsk_socket__fd(socket_.get()), nullptr, 0, MSG_DONTWAIT, nullptr, 0) >= 0)
        return Kick::done;
    switch (errno) {
    case EAGAIN:
    case EBUSY:
    case ENOBUFS:
    case EINTR:
        return __atomic_load_n(tx_.consumer, __ATOMIC_RELAXED) == taken ? Kick::full : Kick::done;
    default:
        return Kick::failed;
    }
}

bool TxSocket::pending() const
{
    return __atomic_load_n(tx_.consumer, __ATOMIC_RELAXED) !=
           __atomic_load_n(tx_.producer, __ATOMIC_RELAXED);
}

TxStatistics TxSocket::statistics() const
{
    xdp_statistics statistics{};
    socklen_t size = sizeof(statistics);
    if (getsockopt(xsk_socket__fd(socket_.get()), SOL_XDP, XDP_STATISTICS, &statistics, &size) != 0)
        return {};
    return {.invalid_descriptors = statistics.tx_invalid_descs};
}

} // namespace dnsgauge
