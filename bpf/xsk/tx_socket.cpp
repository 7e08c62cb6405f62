// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/tx_socket.h"

#include "system/setup_error.h"

#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

// After the ring was full, a kick finds more than a batch. Most drivers' rings hold 256 packets.
constexpr std::uint32_t larger_kick_budget = 256;

constexpr int busy_poll_us = 20;
constexpr int busy_poll_budget = 64; // packets of one poll, as in NAPI

void poll_busily(int socket, const std::string &interface)
{
    for (const auto &[option, value] :
         {std::pair{SO_PREFER_BUSY_POLL, 1}, std::pair{SO_BUSY_POLL, busy_poll_us},
          std::pair{SO_BUSY_POLL_BUDGET, busy_poll_budget}})
        if (setsockopt(socket, SOL_SOCKET, option, &value, sizeof(value)) != 0)
            throw SetupError("cannot poll " + interface + " busily (" + std::strerror(errno) +
                             "): needs Linux 5.11 and CAP_NET_ADMIN, or leave --busy-poll out");
}

bool uses_zero_copy(int socket)
{
    xdp_options options{};
    socklen_t size = sizeof(options);
    return getsockopt(socket, SOL_XDP, XDP_OPTIONS, &options, &size) == 0 &&
           (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
}

} // namespace

TxSocket::TxSocket(const std::string &interface, std::uint32_t queue, Umem &umem,
                   const TxOptions &options)
    : umem_(umem), socket_(umem.socket_.get()),
      tx_memory_(socket_, RingKind::send, umem.send_frames()), tx_(tx_memory_.producer()),
      polls_busily_(options.busy_poll)
{
    bind_to_queue(socket_, interface, queue, options.copy_mode);
    zero_copy_ = uses_zero_copy(socket_);
    if (!zero_copy_ && set_xdp_option(socket_, kernel::max_tx_skb_budget, larger_kick_budget) == 0)
        kick_budget_ = larger_kick_budget;
    if (polls_busily_)
        poll_busily(socket_, interface);
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
    if (umem_.has_stamps()) {
        umem_.request_stamp(address);
        descriptor->options = kernel::tx_metadata;
    }
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
    if (xsk_ring_prod__needs_wakeup(&tx_) == 0 && !polls_busily_)
        return Kick::done;
    statistics_.kicks++;
    const std::uint32_t taken = __atomic_load_n(tx_.consumer, __ATOMIC_RELAXED);
    const bool is_refused = sendto(socket_, nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0;
    if (is_refused && errno != EAGAIN && errno != EBUSY && errno != ENOBUFS && errno != EINTR)
        return Kick::failed;
    // In zero-copy mode a kick only wakes the driver, perhaps on another CPU. Further kicks before
    // the driver runs are useless.
    const bool may_wait = is_refused || zero_copy_;
    return may_wait && __atomic_load_n(tx_.consumer, __ATOMIC_RELAXED) == taken ? Kick::full
                                                                                : Kick::done;
}

std::uint32_t TxSocket::not_taken() const
{
    return __atomic_load_n(tx_.producer, __ATOMIC_RELAXED) -
           __atomic_load_n(tx_.consumer, __ATOMIC_RELAXED);
}

bool TxSocket::wants_kick() const
{
    return polls_busily_ || not_taken() != 0;
}

TxStatistics TxSocket::statistics() const
{
    xdp_statistics statistics{};
    socklen_t size = sizeof(statistics);
    TxStatistics result = statistics_;
    if (getsockopt(socket_, SOL_XDP, XDP_STATISTICS, &statistics, &size) == 0)
        result.invalid_descriptors = statistics.tx_invalid_descs;
    return result;
}

} // namespace dnsgauge
