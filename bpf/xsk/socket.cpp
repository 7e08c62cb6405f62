// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xsk/socket.h"

#include "system/interface_number.h"
#include "system/setup_error.h"
#include "xsk/ring.h"

#include <bpf/bpf.h>
#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace dnsgauge
{

namespace
{

// A closed socket still holds its queue for a while.
constexpr auto queue_patience = std::chrono::seconds(2);

// In the order of CopyMode.
constexpr std::array<std::uint16_t, 3> bind_flags{
    XDP_USE_NEED_WAKEUP, XDP_USE_NEED_WAKEUP | XDP_COPY, XDP_USE_NEED_WAKEUP | XDP_ZEROCOPY};

std::string why_not_bound(int error, const std::string &interface, std::uint32_t queue,
                          CopyMode mode)
{
    const std::string where = "queue " + std::to_string(queue) + " of " + interface;
    switch (error) {
    case EBUSY:
        return where + " is taken by another AF_XDP socket: stop that program, or use other queues";
    case EINVAL:
        if (mode == CopyMode::zero_copy)
            return "AF_XDP cannot use " + where +
                   " in zero-copy mode: is there such a queue (ethtool -l " + interface +
                   ")? If there is, the device refuses it: leave --af-xdp at auto";
        return "AF_XDP cannot use " + where + ": is there such a queue (ethtool -l " + interface +
               ")?";
    case ENOENT: // of virtio_net: its receive buffers suit no XDP program
        return "AF_XDP cannot use " + where +
               " in zero-copy mode: the device refuses it: leave --af-xdp at auto";
    case EOPNOTSUPP:
    case EPROTONOSUPPORT:
        return "the driver of " + interface + " has no zero-copy AF_XDP: leave --af-xdp at auto";
    default:
        return "cannot bind AF_XDP to " + where + ": " + std::strerror(error);
    }
}

std::string why_not_opened(int error)
{
    switch (error) {
    case EAFNOSUPPORT:
        return "this kernel has no AF_XDP: CONFIG_XDP_SOCKETS is needed";
    case EPERM:
        return "may not open an AF_XDP socket: run as root, or grant CAP_NET_RAW";
    default:
        return std::string("cannot open an AF_XDP socket: ") + std::strerror(error);
    }
}

} // namespace

UniqueFd open_xdp_socket()
{
    UniqueFd opened{socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0)};
    if (!opened)
        throw SetupError(why_not_opened(errno));
    return opened;
}

void register_packet_memory(int socket, const kernel::UmemRegistration &memory)
{
    if (const int error = set_xdp_option(socket, XDP_UMEM_REG, memory); error != 0)
        throw SetupError("cannot register packet memory for AF_XDP: {}{}", std::strerror(error),
                         error == ENOBUFS ? ": run as root, grant CAP_IPC_LOCK, or let the user "
                                            "lock more memory (ulimit -l)"
                                          : "");
}

void bind_to_queue(int socket, const std::string &interface, std::uint32_t queue, CopyMode mode)
{
    sockaddr_xdp address{};
    address.sxdp_family = AF_XDP;
    address.sxdp_flags = bind_flags.at(static_cast<std::size_t>(mode));
    address.sxdp_ifindex = interface_number(interface);
    address.sxdp_queue_id = queue;
    const auto deadline = std::chrono::steady_clock::now() + queue_patience;
    while (bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0) {
        if (errno != EBUSY || std::chrono::steady_clock::now() > deadline)
            throw SetupError(why_not_bound(errno, interface, queue, mode));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void hand_xdp_socket(int map, std::uint32_t queue, int socket)
{
    if (bpf_map_update_elem(map, &queue, &socket, BPF_ANY) != 0)
        throw_errno("cannot hand an AF_XDP socket to the kernel program");
}

} // namespace dnsgauge
