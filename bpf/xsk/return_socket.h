// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An AF_XDP socket that sends frames back from where they were received:
//
//     take()        hands frames that have arrived to the caller
//     send()        puts a frame on the ring: the kernel has it until all copies have gone
//     give_back()   returns a frame to the kernel, to receive into, without sending it
//     kick()        has the kernel send
//     reap()        returns frames that the kernel has sent, to receive into
#pragma once

#include "host/mapped_memory.h"
#include "xsk/ring.h"
#include "xsk/socket.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <xdp/xsk.h>

namespace dnsgauge
{

class ReturnSocket
{
public:
    // The least number of frames. A socket whose frames never wait needs no more.
    static constexpr std::uint32_t frames_least = 4096;

    // Returns the number of frames for each of `queues` sockets whose frames wait. Together the
    // sockets have 65,536 frames, but each has at least frames_least.
    [[nodiscard]] static constexpr std::uint32_t frames_to_hold(std::uint32_t queues)
    {
        std::uint32_t frames = 65536;
        while (frames > frames_least && frames * queues > 65536)
            frames /= 2;
        return frames;
    }

    // Binds to `queue` of `interface`, with memory for `frames` frames (a power of two). Throws
    // SetupError if AF_XDP cannot serve the queue.
    ReturnSocket(const std::string &interface, std::uint32_t queue, std::uint32_t frames,
                 CopyMode mode);
    ReturnSocket &operator=(ReturnSocket &&) = delete;

    [[nodiscard]] int fd() const { return socket_.get(); }

    // Calls visit(address, length) for frames that have arrived; returns how many.
    template <class Visit>
    std::uint32_t take(Visit &&visit)
    {
        std::uint32_t slot = 0;
        const std::uint32_t count = xsk_ring_cons__peek(&received_, batch_size, &slot);
        for (std::uint32_t i = 0; i < count; i++) {
            const xdp_desc &frame = *xsk_ring_cons__rx_desc(&received_, slot + i);
            visit(frame.addr, frame.len);
        }
        if (count != 0)
            xsk_ring_cons__release(&received_, count);
        return count;
    }

    // Returns the bytes of a frame that the caller has. Metadata precede them.
    [[nodiscard]] std::uint8_t *bytes(std::uint64_t address)
    {
        return static_cast<std::uint8_t *>(area_.data()) + address;
    }

    // Returns the octets from `address` to the end of its frame.
    [[nodiscard]] static std::size_t room(std::uint64_t address)
    {
        return frame_size - address % frame_size;
    }

    // Returns false if there is no room for all copies now.
    bool send(std::uint64_t address, std::uint32_t length, std::uint64_t copies);
    void give_back(std::uint64_t address);

    // Returns whether there are frames on the ring that the kernel has not taken yet.
    [[nodiscard]] bool wants_kick() const;
    // Makes the kernel send. What the kernel does not take, the next kick offers again.
    void kick();
    // Returns whether the kernel took nothing at the last kick because the interface is down or
    // gone. The next kick then has to wait for cut_off_pause.
    [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }
    static constexpr std::chrono::milliseconds cut_off_pause{10};
    // Returns frames whose last copy has gone to the kernel, to receive into.
    void reap();

    // Returns how many frames found no room, at their arrival or for sending.
    [[nodiscard]] std::uint64_t unsent() const;

private:
    static constexpr std::uint32_t frame_size = 2048;
    static constexpr std::uint32_t batch_size = 64;

    [[nodiscard]] static UniqueFd open(const MappedMemory &area);

    MappedMemory area_;                // outlives the socket
    std::vector<std::uint8_t> copies_; // for each frame, the number of copies that the kernel has
    UniqueFd socket_;
    RingMemory fill_memory_;
    RingMemory completion_memory_;
    RingMemory receive_memory_;
    RingMemory send_memory_;
    xsk_ring_prod fill_;
    xsk_ring_cons completion_;
    xsk_ring_cons received_;
    xsk_ring_prod sent_;
    bool is_cut_off_ = false;
};

} // namespace dnsgauge
