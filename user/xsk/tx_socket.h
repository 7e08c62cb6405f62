// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An AF_XDP socket that only sends, on one transmit queue of one interface.
//
// The verbs of a batch, none of which blocks or allocates:
//     reap()                          frames whose sending is complete become free
//     room()                          how many packets could be queued now
//     queue(address, length) ...      put written frames on the ring
//     submit()                        show them to the kernel
//     kick()                          have the kernel send; again while pending()
#pragma once

#include "xsk/umem.h"

#include <cstdint>
#include <memory>
#include <string>

#include <xdp/xsk.h>

namespace dnsgauge
{

enum class CopyMode {
    automatic, // zero-copy where the driver has it
    copy,
    zero_copy,
};

struct TxOptions {
    CopyMode copy_mode = CopyMode::automatic;
    // Whoever kicks polls the driver as well (preferred busy polling, Linux 5.11): for drivers in
    // zero-copy mode, with napi_defer_hard_irqs and gro_flush_timeout set. Receiving, the reply
    // clock included, then happens on the sender's CPU.
    bool busy_poll = false;
};

struct TxStatistics {
    std::uint64_t invalid_descriptors = 0; // packets the kernel refused: lost on our own side
};

enum class Kick {
    done,   // the kernel took some, or all there was
    full,   // the driver has no room, or the kernel is busy: kick again in a moment
    failed, // the link is down or gone
};

class TxSocket
{
public:
    // Binds to `queue` of `interface` and sends from `umem`, which must outlive the socket. Throws
    // SetupError: the queue is taken, does not exist, or AF_XDP or an option is not to be had.
    TxSocket(const std::string &interface, std::uint32_t queue, Umem &umem,
             const TxOptions &options);
    TxSocket(const TxSocket &) = delete;
    TxSocket &operator=(const TxSocket &) = delete;

    [[nodiscard]] bool is_zero_copy() const { return zero_copy_; }

    std::uint32_t reap() { return umem_.reap(); }
    // Limited by ring places and free frames, at most `wanted`.
    [[nodiscard]] std::uint32_t room(std::uint32_t wanted);
    // `address` is from Umem::take(); there must be room().
    void queue(std::uint64_t address, std::uint32_t length);
    void submit();
    [[nodiscard]] Kick kick();
    // Are there packets on the ring that the kernel has not taken yet?
    [[nodiscard]] bool pending() const;

    [[nodiscard]] TxStatistics statistics() const;

private:
    struct Deleter {
        void operator()(xsk_socket *socket) const { xsk_socket__delete(socket); }
    };

    Umem &umem_;
    xsk_ring_prod tx_{};
    std::uint32_t queued_ = 0;
    bool zero_copy_ = false;
    std::unique_ptr<xsk_socket, Deleter> socket_;
};

} // namespace dnsgauge
