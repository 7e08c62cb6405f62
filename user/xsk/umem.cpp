// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/umem.h"

#include "host/setup_error.h"

#include <linux/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// Whole huge pages, so that what is mapped as such can be unmapped.
std::size_t area_size(std::uint32_t send_frames)
{
    const std::size_t frames = std::size_t{send_frames + Umem::receive_frames} * Umem::frame_size;
    return (frames + huge_page - 1) / huge_page * huge_page;
}

} // namespace

Umem::Umem(std::uint32_t send_frames) : send_frames_(send_frames), umem_(nullptr, xsk_umem__delete)
{
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    area_.emplace(area_size(send_frames), flags | MAP_HUGETLB | MAP_HUGE_2MB, -1);
    has_huge_pages_ = area_->data() != nullptr;
    if (!has_huge_pages_)
        area_.emplace(area_size(send_frames), flags, -1);
    if (area_->data() == nullptr)
        throw SetupError("cannot get " + std::to_string(area_->size() >> 20U) +
                         " MiB for packets: " + std::strerror(errno));

    xsk_umem_config config{};
    config.fill_size = receive_frames;
    config.comp_size = send_frames;
    config.frame_size = frame_size;
    xsk_umem *umem = nullptr;
    const int error =
        xsk_umem__create(&umem, area_->data(), area_->size(), &fill_, &completion_, &config);
    if (error != 0)
        throw SetupError(std::string("cannot register packet memory for AF_XDP: ") +
                         std::strerror(-error) +
                         (error == -EPERM ? ": run as root, or grant CAP_NET_RAW" : ""));
    umem_.reset(umem);

    free_.reserve(send_frames);
    for (std::uint32_t i = 0; i < send_frames; i++)
        free_.push_back(std::uint64_t{i} * frame_size);
    if (check_owners)
        owners_.assign(send_frames, Owner::free);

    std::uint32_t slot = 0;
    xsk_ring_prod__reserve(&fill_, receive_frames, &slot);
    for (std::uint32_t i = 0; i < receive_frames; i++)
        *xsk_ring_prod__fill_addr(&fill_, slot + i) = std::uint64_t{send_frames + i} * frame_size;
    xsk_ring_prod__submit(&fill_, receive_frames);
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

std::uint32_t Umem::reap()
{
    std::uint32_t slot = 0;
    const std::uint32_t count = xsk_ring_cons__peek(&completion_, send_frames_, &slot);
    for (std::uint32_t i = 0; i < count; i++) {
        const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion_, slot + i);
        change_owner(address, Owner::kernel, Owner::free);
        free_.push_back(address);
    }
    if (count != 0)
        xsk_ring_cons__release(&completion_, count);
    return count;
}

void Umem::change_owner(std::uint64_t address, Owner from, Owner to)
{
    if constexpr (check_owners) {
        Owner &owner = owners_.at(address / frame_size);
        if (owner != from) {
            std::fprintf(stderr, "UMEM frame %llu is used out of turn: %d, expected %d\n",
                         static_cast<unsigned long long>(address), static_cast<int>(owner),
                         static_cast<int>(from));
            std::abort();
        }
        owner = to;
    }
}

} // namespace dnsgauge
