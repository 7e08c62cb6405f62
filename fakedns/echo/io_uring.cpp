// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo by io_uring: slot_count receptions wait in the kernel at a time. A reception that is
// complete makes its slot send, and a slot that has sent receives again.
#include "base/sockets.h"
#include "base/stop_event.h"
#include "echo/socket_worker.h"

#include "system/setup_error.h"

#include <liburing.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

namespace
{

constexpr std::size_t slot_count = 64;

class Ring
{
public:
    Ring()
    {
        // The flag spares this thread interrupts for completions, which it looks for anyway. Linux
        // before 5.19 does not know the flag.
        int error = io_uring_queue_init(2 * slot_count, &ring_, IORING_SETUP_COOP_TASKRUN);
        if (error == -EINVAL)
            error = io_uring_queue_init(2 * slot_count, &ring_, 0);
        if (error != 0)
            throw SetupError(
                std::string("no io_uring here (") + std::strerror(-error) +
                "): see sysctl kernel.io_uring_disabled, CONFIG_IO_URING and ulimit -l");
    }
    ~Ring() { io_uring_queue_exit(&ring_); }
    Ring &operator=(Ring &&) = delete;

    [[nodiscard]] io_uring *get() { return &ring_; }

private:
    io_uring ring_{};
};

class IoUringEcho : public SocketEcho
{
public:
    explicit IoUringEcho(const EchoSeat &seat)
        : SocketEcho(seat),
          room_(std::make_unique_for_overwrite<std::uint8_t[]>(slot_count * datagram_max))
    {
    }

    void run() override
    {
        for (Slot &slot : slots_)
            receive(slot);
        // This entry belongs to no slot: its completion tells that stop() was called.
        io_uring_sqe *stop = io_uring_get_sqe(ring_.get());
        io_uring_prep_read(stop, stop_.fd(), &stop_value_, sizeof(stop_value_), 0);
        io_uring_sqe_set_data(stop, nullptr);
        while (!stops() || sending_ != 0) {
            io_uring_submit_and_wait(ring_.get(), 1);
            complete_all();
        }
    }

    void stop() override
    {
        SocketEcho::stop();
        stop_.ask();
    }

private:
    struct Slot {
        msghdr header;
        iovec vector;
        sockaddr_storage from;
        bool sends;
    };

    [[nodiscard]] std::uint8_t *room(const Slot &slot)
    {
        return &room_[static_cast<std::size_t>(&slot - slots_.data()) * datagram_max];
    }

    void receive(Slot &slot)
    {
        slot.vector = {room(slot), datagram_max};
        slot.header = datagram_header(slot.vector, slot.from);
        slot.sends = false;
        io_uring_sqe *entry = io_uring_get_sqe(ring_.get());
        io_uring_prep_recvmsg(entry, socket(), &slot.header, 0);
        io_uring_sqe_set_data(entry, &slot);
    }

    void send(Slot &slot, std::size_t length)
    {
        slot.vector.iov_len = length;
        slot.header.msg_flags = 0;
        slot.sends = true;
        sending_++;
        io_uring_sqe *entry = io_uring_get_sqe(ring_.get());
        io_uring_prep_sendmsg(entry, socket(), &slot.header, 0);
        io_uring_sqe_set_data(entry, &slot);
    }

    void complete_all()
    {
        // Each slot, and stop(), has at most one completion. So no more submissions follow than the
        // queue has places.
        std::array<io_uring_cqe *, slot_count + 1> completions{};
        const unsigned count =
            io_uring_peek_batch_cqe(ring_.get(), completions.data(), completions.size());
        for (unsigned i = 0; i < count; i++) {
            auto *slot = static_cast<Slot *>(io_uring_cqe_get_data(completions[i]));
            if (slot != nullptr)
                complete(*slot, completions[i]->res);
        }
        io_uring_cq_advance(ring_.get(), count);
    }

    void complete(Slot &slot, int result)
    {
        if (slot.sends) {
            sending_--;
            count(result < 0 ? ECHO_UNSENT : ECHO_SENT);
            receive(slot);
        } else if (result >= 0 && turn(room(slot), static_cast<std::size_t>(result), slot.from,
                                       slot.header.msg_namelen)) {
            send(slot, static_cast<std::size_t>(result));
        } else if (!stops()) {
            receive(slot);
        }
    }

    StopEvent stop_;
    std::uint64_t stop_value_ = 0;
    std::unique_ptr<std::uint8_t[]> room_;
    std::array<Slot, slot_count> slots_{};
    std::size_t sending_ = 0;
    Ring ring_; // is destroyed first, because the kernel writes into the members above
};

} // namespace

std::unique_ptr<EchoWorker> make_io_uring_echo(const EchoSeat &seat)
{
    return std::make_unique<IoUringEcho>(seat);
}

} // namespace dnsgauge
