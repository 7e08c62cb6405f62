// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/ring.h"

#include "system/setup_error.h"

#include <array>

namespace dnsgauge
{

namespace
{

struct Shape {
    int option;
    off_t page_offset;
    std::size_t entry_size;
    xdp_ring_offset xdp_mmap_offsets::*offset;
};

// In the order of RingKind.
constexpr std::array<Shape, 4> shapes{
    {{XDP_UMEM_FILL_RING, XDP_UMEM_PGOFF_FILL_RING, sizeof(std::uint64_t), &xdp_mmap_offsets::fr},
     {XDP_UMEM_COMPLETION_RING, XDP_UMEM_PGOFF_COMPLETION_RING, sizeof(std::uint64_t),
      &xdp_mmap_offsets::cr},
     {XDP_RX_RING, XDP_PGOFF_RX_RING, sizeof(xdp_desc), &xdp_mmap_offsets::rx},
     {XDP_TX_RING, XDP_PGOFF_TX_RING, sizeof(xdp_desc), &xdp_mmap_offsets::tx}}};

constexpr const char *cannot = "cannot make an AF_XDP ring";

} // namespace

RingMemory::RingMemory(int socket, RingKind kind, std::uint32_t entries) : entries_(entries)
{
    const Shape &shape = shapes.at(static_cast<std::size_t>(kind));
    xdp_mmap_offsets offsets{};
    socklen_t size = sizeof(offsets);
    if (set_xdp_option(socket, shape.option, entries) != 0 ||
        getsockopt(socket, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size) != 0)
        throw_errno(cannot);
    offset_ = offsets.*shape.offset;
    memory_.emplace(offset_.desc + entries * shape.entry_size, MAP_SHARED | MAP_POPULATE, socket,
                    shape.page_offset);
    if (memory_->data() == nullptr)
        throw_errno(cannot);
}

template <class Ring>
Ring RingMemory::ring() const
{
    auto *const base = static_cast<std::uint8_t *>(memory_->data());
    Ring ring{};
    ring.mask = entries_ - 1;
    ring.size = entries_;
    ring.producer = reinterpret_cast<std::uint32_t *>(base + offset_.producer);
    ring.consumer = reinterpret_cast<std::uint32_t *>(base + offset_.consumer);
    ring.flags = reinterpret_cast<std::uint32_t *>(base + offset_.flags);
    ring.ring = base + offset_.desc;
    return ring;
}

xsk_ring_prod RingMemory::producer() const
{
    auto made = ring<xsk_ring_prod>();
    // The number of free entries, in libxdp's form, of an empty ring.
    made.cached_cons = entries_;
    return made;
}

xsk_ring_cons RingMemory::consumer() const
{
    return ring<xsk_ring_cons>();
}

} // namespace dnsgauge
