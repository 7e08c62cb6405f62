// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// AF_PACKET: the kernel copies each frame into a ring that it shares with the worker, and sends
// what the worker writes into another ring. Queries also go up the stack, where a UDP socket drops
// them so that nobody else answers. The kernel spreads flows over the workers.
#include "echo/frame.h"

#include "host/mapped_memory.h"
#include "system/interface_number.h"
#include "system/unique_fd.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string>

namespace dnsgauge
{

namespace
{

constexpr unsigned frame_size = 4096;
constexpr unsigned ring_frames = 1024;
constexpr unsigned block_size = 16 * frame_size;
constexpr std::size_t ring_bytes = std::size_t{ring_frames} * frame_size;
constexpr int batch_size = 64;

template <class T>
void set_option(int fd, int level, int option, const T &value, const std::string &what)
{
    if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
        throw_errno(what);
}

void set_filter(int fd, std::span<sock_filter> code)
{
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    set_option(fd, SOL_SOCKET, SO_ATTACH_FILTER, program, "cannot filter what a socket receives");
}

// Lets a socket receive only what is sent to this host, not what this host sends.
void receive_own_only(int fd)
{
    std::array<sock_filter, 4> code{
        {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, static_cast<__u32>(SKF_AD_OFF + SKF_AD_PKTTYPE)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_HOST, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, frame_size), BPF_STMT(BPF_RET | BPF_K, 0)}};
    set_filter(fd, code);
}

void receive_nothing(int fd)
{
    std::array<sock_filter, 1> code{{BPF_STMT(BPF_RET | BPF_K, 0)}};
    set_filter(fd, code);
}

UniqueFd open_packet_socket()
{
    UniqueFd fd{socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)};
    if (!fd && errno == EPERM)
        throw SetupError("may not open an AF_PACKET socket: run as root, or grant CAP_NET_RAW");
    if (!fd)
        throw_errno("this kernel has no AF_PACKET");
    return fd;
}

// Owns a socket and its two rings. Both lie in memory_, the receiving ring first.
class AfPacketEcho : public FrameEcho
{
public:
    explicit AfPacketEcho(const EchoSeat &seat)
        : FrameEcho(seat), socket_(open_packet_socket()),
          memory_(prepare(), MAP_SHARED, socket_.get())
    {
        if (memory_.data() == nullptr)
            throw_errno("no memory for AF_PACKET's rings");
        bind(seat.options.interface);
        // All workers of all processes are in the same group.
        const int group = (getppid() & 0xffff) | PACKET_FANOUT_HASH << 16;
        if (seat.options.workers() > 1)
            set_option(fd(), SOL_PACKET, PACKET_FANOUT, group, "cannot share AF_PACKET's frames");
        receive_nothing(seat.socket);
    }

private:
    bool take() override
    {
        int taken = 0;
        while (taken < batch_size) {
            tpacket2_hdr &slot = at(next_received_);
            if ((status_of(slot) & TP_STATUS_USER) == 0)
                break;
            std::uint8_t *bytes = reinterpret_cast<std::uint8_t *>(&slot) + slot.tp_mac;
            wire_cursor frame{bytes, bytes + slot.tp_snaplen};
            // Skips frames with a VLAN tag: the kernel keeps the tag outside the frame, so the echo
            // would lack it.
            if ((slot.tp_status & TP_STATUS_VLAN_VALID) == 0 && turn(frame))
                count(send(frame));
            set_status(slot, TP_STATUS_KERNEL);
            next_received_ = (next_received_ + 1) % ring_frames;
            taken++;
        }
        return taken != 0;
    }

    // Returns false if there is no room for the frame now.
    bool send(const wire_cursor &frame)
    {
        constexpr std::size_t unit = TPACKET_ALIGNMENT;
        constexpr std::size_t offset = (sizeof(tpacket2_hdr) + unit - 1) / unit * unit;
        const auto length = static_cast<std::size_t>(frame.end - frame.pos);
        tpacket2_hdr &slot = at(ring_frames + next_sent_);
        if (status_of(slot) != TP_STATUS_AVAILABLE || length > frame_size - offset)
            return false;
        std::memcpy(reinterpret_cast<std::uint8_t *>(&slot) + offset, frame.pos, length);
        slot.tp_len = static_cast<std::uint32_t>(length);
        set_status(slot, TP_STATUS_SEND_REQUEST);
        next_sent_ = (next_sent_ + 1) % ring_frames;
        return true;
    }

    [[nodiscard]] bool wants_kick() const override
    {
        return status_of(at(ring_frames + (next_sent_ + ring_frames - 1) % ring_frames)) ==
               TP_STATUS_SEND_REQUEST;
    }
    void kick() override
    {
        if (wants_kick())
            static_cast<void>(::send(fd(), nullptr, 0, MSG_DONTWAIT));
    }
    [[nodiscard]] int fd() const override { return socket_.get(); }

    // Makes the rings. Returns the octets of memory to map for them.
    std::size_t prepare()
    {
        const int version = TPACKET_V2;
        const tpacket_req request{block_size, static_cast<unsigned>(ring_bytes / block_size),
                                  frame_size, ring_frames};
        const std::string what = "cannot make AF_PACKET's rings";
        receive_own_only(fd());
        set_option(fd(), SOL_PACKET, PACKET_VERSION, version, what);
        set_option(fd(), SOL_PACKET, PACKET_RX_RING, request, what);
        set_option(fd(), SOL_PACKET, PACKET_TX_RING, request, what);
        return 2 * ring_bytes;
    }

    void bind(const std::string &interface) const
    {
        sockaddr_ll address{};
        address.sll_family = AF_PACKET;
        address.sll_protocol = htons(ETH_P_ALL);
        address.sll_ifindex = static_cast<int>(interface_number(interface));
        if (::bind(fd(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
            throw_errno("cannot bind AF_PACKET to " + interface);
    }

    [[nodiscard]] tpacket2_hdr &at(unsigned number) const
    {
        auto *const bytes = static_cast<std::uint8_t *>(memory_.data());
        return *reinterpret_cast<tpacket2_hdr *>(bytes + std::size_t{number} * frame_size);
    }

    static std::uint32_t status_of(const tpacket2_hdr &slot)
    {
        return __atomic_load_n(&slot.tp_status, __ATOMIC_ACQUIRE);
    }
    static void set_status(tpacket2_hdr &slot, std::uint32_t status)
    {
        __atomic_store_n(&slot.tp_status, status, __ATOMIC_RELEASE);
    }

    UniqueFd socket_;
    MappedMemory memory_;
    unsigned next_received_ = 0;
    unsigned next_sent_ = 0;
};

} // namespace

std::unique_ptr<EchoWorker> make_af_packet_echo(const EchoSeat &seat)
{
    return std::make_unique<AfPacketEcho>(seat);
}

} // namespace dnsgauge
