// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/ring.h"

#include "userland/setup_error.h"

#include <cstring>
#include <string>

namespace dnsgauge
{

namespace
{

struct Shape {
    int option;
    off_t page_offset;
    std::size_t entry_size;
};

Shape shape_of(RingKind kind)
{
    switch (kind) {
    case RingKind::fill:
        return {XDP_UMEM_FILL_RING, static_cast<off_t>(XDP_UMEM_PGOFF_FILL_RING),
                sizeof(std::uint64_t)};
    case RingKind::completion:
        return {XDP_UMEM_COMPLETION_RING, static_cast<off_t>(XDP_UMEM_PGOFF_COMPLETION_RING),
                sizeof(std::uint64_t)};
    case RingKind::receive:
        return {XDP_RX_RING, XDP_PGOFF_RX_RING, sizeof(xdp_desc)};
    case RingKind::send:
        break;
    }
    return {XDP_TX_RING, XDP_PGOFF_TX_RING, sizeof(xdp_desc)};
}

const xdp_ring_offset &offset_of(const xdp_mmap_offsets &offsets, RingKind kind)
{
    switch (kind) {
    case RingKind::fill:
        return offsets.fr;
    case RingKind::completion:
        return offsets.cr;
    case RingKind::receive:
        return offsets.rx;
    case RingKind::send:
        break;
    }
    return offsets.tx;
}

[[noreturn]] void fail(int error)
{
    throw SetupError(std::string("cannot make an AF_XDP ring: ") + std::strerror(error));
}

} // namespace

RingMemory::RingMemory(int socket, RingKind kind, std::uint32_t entries) : entries_(entries)
{
    const Shape shape = shape_of(kind);
    if (const int error = set_xdp_option(socket, shape.option, entries); error != 0)
        fail(error);
    xdp_mmap_offsets offsets{};
    socklen_t size = sizeof(offsets);
    if (getsockopt(socket, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size) != 0)
        fail(errno);
    offset_ = offset_of(offsets, kind);
    memory_.emplace(offset_.desc + entries * shape.entry_size, MAP_SHARED | MAP_POPULATE, socket,
                    shape.page_offset);
    if (memory_->data() == nullptr)
        fail(errno);
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
    // libxdp's count of the free entries of a ring that is empty.
    made.cached_cons = entries_;
    return made;
}

xsk_ring_cons RingMemory::consumer() const
{
    return ring<xsk_ring_cons>();
}

} // namespace dnsgauge
