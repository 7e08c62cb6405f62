// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The other end of an AF_XDP socket's rings: what the kernel would do, at no cost. For programs
// whose own sendto() stands in for the kernel's.
#pragma once

#include "host/mapped_memory.h"
#include "system/setup_error.h"

#include <linux/if_xdp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cstdint>

namespace dnsgauge
{

// A ring of a socket, mapped once more. `Entry` is what the ring holds.
template <class Entry>
class MappedRing
{
public:
    // `kind` is the ring's XDP_PGOFF_ or XDP_UMEM_PGOFF_. Throws SetupError.
    MappedRing(int socket, const xdp_ring_offset &offset, std::uint64_t kind, std::uint32_t entries)
        : memory_(offset.desc + entries * sizeof(Entry), MAP_SHARED | MAP_POPULATE, socket,
                  static_cast<off_t>(kind)),
          mask_(entries - 1)
    {
        if (memory_.data() == nullptr)
            throw SetupError("cannot map the rings of an AF_XDP socket");
        producer_ = at<std::uint32_t>(offset.producer);
        consumer_ = at<std::uint32_t>(offset.consumer);
        entries_ = at<Entry>(offset.desc);
    }

    // Calls visit(entry) for what was put on the ring, at most `most` of it, and takes that off.
    template <class Visit>
    void take(std::uint32_t most, Visit &&visit)
    {
        const std::uint32_t given = __atomic_load_n(producer_, __ATOMIC_ACQUIRE);
        std::uint32_t next = *consumer_;
        for (; next != given && most != 0; next++, most--)
            visit(entries_[next & mask_]);
        __atomic_store_n(consumer_, next, __ATOMIC_RELEASE);
    }

    // Puts an entry on the ring, which show() shows to the other side.
    void put(const Entry &entry) { entries_[(*producer_ + put_++) & mask_] = entry; }
    void show()
    {
        __atomic_store_n(producer_, *producer_ + put_, __ATOMIC_RELEASE);
        put_ = 0;
    }

    // Returns how many entries the other side has yet to take.
    [[nodiscard]] std::uint32_t waiting() const
    {
        return *producer_ - __atomic_load_n(consumer_, __ATOMIC_ACQUIRE);
    }

private:
    template <class T>
    T *at(std::uint64_t offset)
    {
        return reinterpret_cast<T *>(static_cast<std::uint8_t *>(memory_.data()) + offset);
    }

    MappedMemory memory_;
    std::uint32_t mask_;
    std::uint32_t put_ = 0;
    std::uint32_t *producer_ = nullptr;
    std::uint32_t *consumer_ = nullptr;
    Entry *entries_ = nullptr;
};

// Returns where the rings of the socket lie. Throws SetupError.
inline xdp_mmap_offsets ring_offsets(int socket)
{
    xdp_mmap_offsets offsets{};
    socklen_t size = sizeof(offsets);
    if (getsockopt(socket, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size) != 0)
        throw SetupError("no AF_XDP socket");
    return offsets;
}

// The kernel's side of sending.
class SendingDriver
{
public:
    // `entries`: of the transmit ring and of the completion ring.
    SendingDriver(int socket, std::uint32_t entries)
        : sent_(socket, ring_offsets(socket).tx, XDP_PGOFF_TX_RING, entries),
          completed_(socket, ring_offsets(socket).cr, XDP_UMEM_PGOFF_COMPLETION_RING, entries)
    {
    }

    // Completes all frames on the transmit ring. Returns how many these were.
    std::uint64_t complete()
    {
        std::uint64_t count = 0;
        sent_.take(~0U, [this, &count](const xdp_desc &frame) {
            completed_.put(frame.addr);
            count++;
        });
        completed_.show();
        return count;
    }

private:
    MappedRing<xdp_desc> sent_;
    MappedRing<std::uint64_t> completed_;
};

} // namespace dnsgauge
