// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An AF_XDP socket that only sends, on one transmit queue of one interface.
//
// The verbs of a batch, none of which blocks or allocates:
//     Umem::reap()                    frames whose sending is complete become free
//     room()                          how many packets could be queued now
//     queue(address, length) ...      put written frames on the ring
//     submit()                        show them to the kernel
//     kick()                          have the kernel send; again while wants_kick()
#pragma once

#include "xsk/socket.h"
#include "xsk/umem.h"

#include <cstdint>
#include <string>

#include <xdp/xsk.h>

namespace dnsgauge
{

struct TxOptions {
    CopyMode copy_mode = CopyMode::automatic;
    // Whoever kicks polls the driver as well (preferred busy polling, Linux 5.11): for drivers in
    // zero-copy mode, with napi_defer_hard_irqs and gro_flush_timeout set. Receiving, the reply
    // clock included, then happens on the sender's CPU.
    bool busy_poll = false;
};

struct TxStatistics {
    std::uint64_t invalid_descriptors = 0; // packets the kernel refused: lost on our own side
    std::uint64_t kicks = 0;               // system calls to have the kernel send
};

enum class Kick {
    done,   // the kernel took some, or all there was
    full,   // the driver has no room, or the kernel is busy: kick again in a moment
    failed, // the link is down or gone
};

class TxSocket
{
public:
    // Binds to `queue` of `interface` and sends from `umem`, which has no other socket and must
    // outlive this one. Throws SetupError: the queue is taken, does not exist, or AF_XDP or an
    // option is not to be had.
    TxSocket(const std::string &interface, std::uint32_t queue, Umem &umem,
             const TxOptions &options);
    TxSocket(const TxSocket &) = delete;
    TxSocket &operator=(const TxSocket &) = delete;

    [[nodiscard]] bool is_zero_copy() const { return zero_copy_; }
    // How many packets the kernel copies and sends at most for one kick.
    [[nodiscard]] std::uint32_t kick_budget() const { return kick_budget_; }

    // Limited by ring places and free frames, at most `wanted`.
    [[nodiscard]] std::uint32_t room(std::uint32_t wanted);
    // `address` is from Umem::take(); there must be room().
    void queue(std::uint64_t address, std::uint32_t length);
    void submit();
    [[nodiscard]] Kick kick();
    // Packets on the ring that the kernel has not taken yet.
    [[nodiscard]] std::uint32_t not_taken() const;
    // Are there any? Busy polling always goes on.
    [[nodiscard]] bool wants_kick() const;

    [[nodiscard]] TxStatistics statistics() const;

private:
    Umem &umem_;
    int socket_; // the memory's
    RingMemory tx_memory_;
    xsk_ring_prod tx_;
    std::uint32_t queued_ = 0;
    bool polls_busily_;
    bool zero_copy_ = false;
    std::uint32_t kick_budget_ = 32; // of kernels before 6.17, where it is copied
    TxStatistics statistics_;
};

} // namespace dnsgauge
