// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/octet_store.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t capacity_least = std::size_t{1} << 16U;

} // namespace

OctetStore::~OctetStore()
{
    if (octets_ != nullptr)
        munmap(octets_, capacity_);
}

OctetStore::OctetStore(OctetStore &&other) noexcept
    : octets_(std::exchange(other.octets_, nullptr)), size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0))
{
}

OctetStore &OctetStore::operator=(OctetStore &&other) noexcept
{
    std::swap(octets_, other.octets_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

void OctetStore::enlarge(std::size_t least)
{
    std::size_t capacity = std::max(capacity_least, capacity_);
    while (capacity < least)
        capacity *= 2;
    void *const octets = octets_ == nullptr
                             ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                             : mremap(octets_, capacity_, capacity, MREMAP_MAYMOVE);
    if (octets == MAP_FAILED)
        throw std::bad_alloc();
    // Millions of queries are written once: larger pages spare most of the kernel's work. Where
    // there are none, small ones do.
    madvise(octets, capacity, MADV_HUGEPAGE);
    octets_ = static_cast<std::uint8_t *>(octets);
    capacity_ = capacity;
}

} // namespace dnsgauge
