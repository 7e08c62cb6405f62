// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/return_socket.h"

#include "system/setup_error.h"

#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <cerrno>

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t ring_size = 4096;

} // namespace

UniqueFd ReturnSocket::open(const MappedMemory &area)
{
    if (area.data() == nullptr)
        throw SetupError("no memory for the frames of an AF_XDP socket");
    UniqueFd opened = open_xdp_socket();
    register_packet_memory(opened.get(), {.address = reinterpret_cast<std::uintptr_t>(area.data()),
                                          .length = area.size(),
                                          .chunk_size = frame_size});
    return opened;
}

ReturnSocket::ReturnSocket(const std::string &interface, std::uint32_t queue, std::uint32_t frames,
                           CopyMode mode)
    : area_(std::size_t{frames} * frame_size, MAP_PRIVATE | MAP_ANONYMOUS, -1), copies_(frames, 0),
      socket_(open(area_)), fill_memory_(fd(), RingKind::fill, frames),
      completion_memory_(fd(), RingKind::completion, ring_size),
      receive_memory_(fd(), RingKind::receive, ring_size),
      send_memory_(fd(), RingKind::send, ring_size), fill_(fill_memory_.producer()),
      completion_(completion_memory_.consumer()), received_(receive_memory_.consumer()),
      sent_(send_memory_.producer())
{
    bind_to_queue(fd(), interface, queue, mode);
    for (std::uint32_t i = 0; i < frames; i++)
        give_back(std::uint64_t{i} * frame_size);
}

bool ReturnSocket::send(std::uint64_t address, std::uint32_t length, std::uint64_t copies)
{
    std::uint32_t slot = 0;
    const auto count = static_cast<std::uint32_t>(copies);
    if (xsk_ring_prod__reserve(&sent_, count, &slot) != count)
        return false;
    for (std::uint32_t i = 0; i < count; i++) {
        xdp_desc &frame = *xsk_ring_prod__tx_desc(&sent_, slot + i);
        frame.addr = address;
        frame.len = length;
        frame.options = 0;
    }
    copies_[address / frame_size] = static_cast<std::uint8_t>(count);
    xsk_ring_prod__submit(&sent_, count);
    return true;
}

void ReturnSocket::give_back(std::uint64_t address)
{
    std::uint32_t slot = 0;
    if (xsk_ring_prod__reserve(&fill_, 1, &slot) != 1)
        return;
    *xsk_ring_prod__fill_addr(&fill_, slot) = address / frame_size * frame_size;
    xsk_ring_prod__submit(&fill_, 1);
}

bool ReturnSocket::wants_kick() const
{
    return __atomic_load_n(sent_.consumer, __ATOMIC_RELAXED) !=
           __atomic_load_n(sent_.producer, __ATOMIC_RELAXED);
}

void ReturnSocket::kick()
{
    is_cut_off_ = wants_kick() && sendto(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 &&
                  (errno == ENETDOWN || errno == ENXIO || errno == ENODEV);
}

void ReturnSocket::reap()
{
    std::uint32_t slot = 0;
    const std::uint32_t count = xsk_ring_cons__peek(&completion_, ring_size, &slot);
    for (std::uint32_t i = 0; i < count; i++) {
        const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion_, slot + i);
        if (--copies_[address / frame_size] == 0)
            give_back(address);
    }
    if (count != 0)
        xsk_ring_cons__release(&completion_, count);
}

std::uint64_t ReturnSocket::unsent() const
{
    xdp_statistics statistics{};
    socklen_t size = sizeof(statistics);
    if (getsockopt(fd(), SOL_XDP, XDP_STATISTICS, &statistics, &size) != 0)
        return 0;
    return statistics.rx_dropped + statistics.rx_ring_full + statistics.tx_invalid_descs;
}

} // namespace dnsgauge
