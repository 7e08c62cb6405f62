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
    // Whether a kick also polls the driver (preferred busy polling, Linux 5.11). This is for
    // drivers in zero-copy mode, with napi_defer_hard_irqs and gro_flush_timeout set. The sender's
    // CPU then also receives packets and runs the reply clock.
    bool busy_poll = false;
};

struct TxStatistics {
    // Packets that the kernel refused, so the Tester lost them.
    std::uint64_t invalid_descriptors = 0;
    std::uint64_t kicks = 0; // system calls that make the kernel send
};

enum class Kick {
    done,   // the kernel took some packets, or all
    full,   // the kernel took nothing: the driver has no room, the driver must run first, or the
            // kernel is busy
    failed, // the link is down or gone
};

class TxSocket
{
public:
    // Binds to `queue` of `interface` and sends from `umem`, which has no other socket and must
    // outlive this one. Throws SetupError if the queue is taken or does not exist, or if the kernel
    // lacks AF_XDP or an option.
    TxSocket(const std::string &interface, std::uint32_t queue, Umem &umem,
             const TxOptions &options);
    TxSocket &operator=(TxSocket &&) = delete;

    [[nodiscard]] bool is_zero_copy() const { return zero_copy_; }
    // Returns the greatest number of packets that the kernel copies and sends for one kick.
    [[nodiscard]] std::uint32_t kick_budget() const { return kick_budget_; }

    // Returns how many packets could be queued now, at most `wanted`: places of the ring and free
    // frames limit the number.
    [[nodiscard]] std::uint32_t room(std::uint32_t wanted);
    // Puts a frame on the ring. `address` is from Umem::take(); there must be room().
    void queue(std::uint64_t address, std::uint32_t length);
    void submit();
    [[nodiscard]] Kick kick();
    // Returns the number of packets on the ring that the kernel has not taken yet.
    [[nodiscard]] std::uint32_t not_taken() const;
    // Returns whether there are such packets; with busy polling always true.
    [[nodiscard]] bool wants_kick() const;

    [[nodiscard]] TxStatistics statistics() const;

private:
    Umem &umem_;
    int socket_; // the descriptor that umem_ owns
    RingMemory tx_memory_;
    xsk_ring_prod tx_;
    std::uint32_t queued_ = 0;
    bool polls_busily_;
    bool zero_copy_ = false;
    std::uint32_t kick_budget_ = 32; // the number in kernels before 6.17
    TxStatistics statistics_;
};

} // namespace dnsgauge
