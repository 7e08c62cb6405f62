// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The packet memory an AF_XDP socket sends from, and who owns which frame of it.
//
//             take()                queue()               kick()
//     free ----------> being written ------> on TX ring ----------> in the kernel
//      ^                                                                  |
//      '------------------------------ reap() ----------------------------'
//
// A frame belongs to the sender only between take() and queue(). From then on the kernel may read
// it at any time, until its completion has been reaped. With DNSGAUGE_CHECK_UMEM a step out of
// turn ends the process.
#pragma once

#include "host/mapped_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
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

    // Room for `send_frames` frames (a power of two) to send from, in huge pages where some are
    // free. Throws SetupError when memory cannot be had or registered.
    explicit Umem(std::uint32_t send_frames);
    ~Umem();
    Umem(const Umem &) = delete;
    Umem &operator=(const Umem &) = delete;

    [[nodiscard]] std::uint32_t send_frames() const { return send_frames_; }
    [[nodiscard]] bool has_huge_pages() const { return has_huge_pages_; }
    [[nodiscard]] std::uint32_t free_frames() const
    {
        return static_cast<std::uint32_t>(free_.size());
    }

    // The bytes of frame `address`, which take() or reap() gave.
    [[nodiscard]] std::span<std::uint8_t> frame(std::uint64_t address)
    {
        return {static_cast<std::uint8_t *>(area_->data()) + address, frame_size};
    }

    // A free frame's address; there must be one.
    [[nodiscard]] std::uint64_t take();
    // Notes that the frame has been put on the TX ring.
    void hand_over(std::uint64_t address);
    // Frees the frames whose completions the kernel has posted, and says how many.
    std::uint32_t reap();

private:
    friend class TxSocket;

    enum class Owner : std::uint8_t { free, writer, kernel };

    void change_owner(std::uint64_t address, Owner from, Owner to);

    std::uint32_t send_frames_;
    std::optional<MappedMemory> area_;
    bool has_huge_pages_ = false;
    std::vector<std::uint64_t> free_;
    std::vector<Owner> owners_; // empty unless DNSGAUGE_CHECK_UMEM
    xsk_ring_prod fill_{};      // libxdp expects its rings zeroed
    xsk_ring_cons completion_{};
    std::unique_ptr<xsk_umem, int (*)(xsk_umem *)> umem_;
};

} // namespace dnsgauge
