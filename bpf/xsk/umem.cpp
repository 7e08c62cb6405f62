// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/umem.h"

#include "system/setup_error.h"
#include "xsk/socket.h"

#include <linux/mman.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace dnsgauge
{

namespace
{

#ifdef DNSGAUGE_CHECK_UMEM
constexpr bool check_owners = true;
#else
constexpr bool check_owners = false;
#endif

constexpr std::size_t huge_page = std::size_t{2} << 20U;

// Rounds up to whole huge pages: munmap() frees huge pages only whole.
std::size_t area_size(std::uint32_t send_frames)
{
    const std::size_t frames = std::size_t{send_frames + Umem::receive_frames} * Umem::frame_size;
    return (frames + huge_page - 1) / huge_page * huge_page;
}

// The metadata take a whole cache line, so that the packet begins at a cache line.
constexpr std::uint32_t metadata_room = 64;
static_assert(sizeof(kernel::TxMetadata) <= metadata_room);

} // namespace

Umem::Umem(std::uint32_t send_frames, bool wants_stamps)
    : send_frames_(send_frames), socket_(open_xdp_socket())
{
    map_area();
    register_area(wants_stamps);
    fill_memory_.emplace(socket_.get(), RingKind::fill, receive_frames);
    fill_ = fill_memory_->producer();
    completion_memory_.emplace(socket_.get(), RingKind::completion, send_frames);
    completion_ = completion_memory_->consumer();

    free_.reserve(send_frames);
    for (std::uint32_t i = 0; i < send_frames; i++)
        free_.push_back(address_of(i));
    if (check_owners)
        owners_.assign(send_frames, Owner::free);

    std::uint32_t slot = 0;
    xsk_ring_prod__reserve(&fill_, receive_frames, &slot);
    for (std::uint32_t i = 0; i < receive_frames; i++)
        *xsk_ring_prod__fill_addr(&fill_, slot + i) = std::uint64_t{send_frames + i} * frame_size;
    xsk_ring_prod__submit(&fill_, receive_frames);
}

void Umem::map_area()
{
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    area_.emplace(area_size(send_frames_), flags | MAP_HUGETLB | MAP_HUGE_2MB, -1);
    has_huge_pages_ = area_->data() != nullptr;
    if (!has_huge_pages_)
        area_.emplace(area_size(send_frames_), flags, -1);
    if (area_->data() == nullptr)
        throw_errno("cannot get " + std::to_string(area_->size() >> 20U) + " MiB for packets");
}

void Umem::register_area(bool wants_stamps)
{
    const kernel::UmemRegistration plain{.address = reinterpret_cast<std::uintptr_t>(area_->data()),
                                         .length = area_->size(),
                                         .chunk_size = frame_size};
    kernel::UmemRegistration stamped = plain;
    stamped.flags = kernel::umem_tx_metadata_length;
    stamped.tx_metadata_length = metadata_room;
    if (wants_stamps && set_xdp_option(socket_.get(), XDP_UMEM_REG, stamped) == 0) {
        packet_offset_ = metadata_room;
        return;
    }
    register_packet_memory(socket_.get(), plain);
}

Umem::~Umem() = default;

std::uint64_t Umem::take()
{
    const std::uint64_t address = free_.back();
    free_.pop_back();
    change_owner(address, Owner::free, Owner::writer);
    return address;
}

void Umem::hand_over(std::uint64_t address)
{
    change_owner(address, Owner::writer, Owner::kernel);
}

void Umem::change_owner(std::uint64_t address, Owner from, Owner to)
{
    if constexpr (check_owners) {
        Owner &owner = owners_.at(address / frame_size);
        if (owner != from) {
            static_cast<void>(std::fprintf(stderr,
                                           "UMEM frame %llu is used out of turn: %d, expected %d\n",
                                           static_cast<unsigned long long>(address),
                                           static_cast<int>(owner), static_cast<int>(from)));
            std::abort();
        }
        owner = to;
    }
}

} // namespace dnsgauge
