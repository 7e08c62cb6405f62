// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The packet memory that an AF_XDP socket sends from, and the owner of each frame in it.
//
//             take()                queue()               kick()
//     free ----------> being written ------> on TX ring ----------> in the kernel
//      ^                                                                  |
//      '------------------------------ reap() ----------------------------'
//
// A frame belongs to the sender only between take() and queue(). From then on the kernel may read
// it at any time, until its completion has been reaped. With DNSGAUGE_CHECK_UMEM a step in the
// wrong order ends the process.
//
// With stamps each packet has metadata in front of it. The driver (in copy mode the kernel) writes
// there when the packet was sent.
#pragma once

#include "host/mapped_memory.h"
#include "system/unique_fd.h"
#include "xsk/kernel.h"
#include "xsk/ring.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <xdp/xsk.h>

namespace dnsgauge
{

class Umem
{
public:
    static constexpr std::uint32_t frame_size = 2048;
    // Frames given to the kernel to receive into: a driver in zero-copy mode needs them for
    // everything that arrives on the queue, whatever the XDP program does with it.
    static constexpr std::uint32_t receive_frames = 2048;

    // Makes room for `send_frames` frames (a power of two) to send from: in huge pages if enough
    // are free, and with stamps if the caller wants stamps and the kernel has them. Throws
    // SetupError if there is no memory, or if the kernel refuses it.
    Umem(std::uint32_t send_frames, bool wants_stamps);
    ~Umem();
    Umem &operator=(Umem &&) = delete;

    [[nodiscard]] std::uint32_t send_frames() const { return send_frames_; }
    [[nodiscard]] bool has_huge_pages() const { return has_huge_pages_; }
    [[nodiscard]] bool has_stamps() const { return packet_offset_ != 0; }
    [[nodiscard]] std::uint32_t free_frames() const
    {
        return static_cast<std::uint32_t>(free_.size());
    }

    // Frames to send from are numbered from 0; an address is where the frame's packet begins.
    [[nodiscard]] std::uint64_t address_of(std::uint32_t number) const
    {
        return std::uint64_t{number} * frame_size + packet_offset_;
    }
    [[nodiscard]] static std::uint32_t number_of(std::uint64_t address)
    {
        return static_cast<std::uint32_t>(address / frame_size);
    }
    // Returns the bytes for the packet in frame `address`.
    [[nodiscard]] std::span<std::uint8_t> frame(std::uint64_t address)
    {
        return {static_cast<std::uint8_t *>(area_->data()) + address, frame_size - packet_offset_};
    }

    // Returns a free frame's address; there must be a free frame.
    [[nodiscard]] std::uint64_t take();
    // Notes that the frame has been put on the TX ring.
    void hand_over(std::uint64_t address);
    // Frees the frames whose completions the kernel has posted. Returns how many. Calls
    // visit(address) for each frame while the frame's stamp can still be read.
    template <class Visit>
    std::uint32_t reap(Visit &&visit);

    // Clears the frame's stamp, and asks the kernel for a new one. Call this only if has_stamps().
    void request_stamp(std::uint64_t address)
    {
        metadata(address) = {.flags = kernel::txmd_timestamp, .timestamp = 0};
    }
    // Returns when the packet was sent, by the clock of the card or of the kernel; 0 if neither has
    // stamped it. Call this only if has_stamps().
    [[nodiscard]] std::uint64_t stamp(std::uint64_t address) { return metadata(address).timestamp; }

private:
    friend class TxSocket;

    enum class Owner : std::uint8_t { free, writer, kernel };

    void map_area();
    void register_area(bool wants_stamps);
    void change_owner(std::uint64_t address, Owner from, Owner to);
    [[nodiscard]] kernel::TxMetadata &metadata(std::uint64_t address)
    {
        return *reinterpret_cast<kernel::TxMetadata *>(static_cast<std::uint8_t *>(area_->data()) +
                                                       address - packet_offset_);
    }

    std::uint32_t send_frames_;
    std::optional<MappedMemory> area_;
    bool has_huge_pages_ = false;
    std::uint32_t packet_offset_ = 0; // of a packet in its frame; the metadata precede it
    UniqueFd socket_;                 // holds the memory, and is TxSocket's socket
    std::optional<RingMemory> fill_memory_;
    std::optional<RingMemory> completion_memory_;
    xsk_ring_prod fill_{};
    xsk_ring_cons completion_{};
    std::vector<std::uint64_t> free_;
    std::vector<Owner> owners_; // empty unless DNSGAUGE_CHECK_UMEM
};

template <class Visit>
std::uint32_t Umem::reap(Visit &&visit)
{
    std::uint32_t slot = 0;
    const std::uint32_t count = xsk_ring_cons__peek(&completion_, send_frames_, &slot);
    for (std::uint32_t i = 0; i < count; i++) {
        const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion_, slot + i);
        change_owner(address, Owner::kernel, Owner::free);
        visit(address);
        free_.push_back(address);
    }
    if (count != 0)
        xsk_ring_cons__release(&completion_, count);
    return count;
}

} // namespace dnsgauge
