// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// AF_XDP: echo.bpf.c hands the frames of each receive queue to the worker of that number, which
// sends them back from where they lie.
#include "fakedns/echo/worker.h"

#include "fakedns/xdp_socket.h"

#include "host/setup_error.h"
#include "host/unique_fd.h"
#include "wire/echo_frame.h"

#include <bpf/bpf.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t frames = 4096;
constexpr int last_kicks = 1000; // at the end, for what is on the ring still

class AfXdpEcho : public EchoWorker
{
public:
    explicit AfXdpEcho(const EchoSeat &seat)
        : port_(seat.options.port), counters_(seat.counters),
          stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          socket_(seat.options.interface, seat.number, frames, false)
    {
        const int fd = socket_.fd();
        if (!stop_event_)
            throw SetupError(std::string("cannot make an eventfd: ") + std::strerror(errno));
        if (bpf_map_update_elem(seat.xdp_sockets, &seat.number, &fd, BPF_ANY) != 0)
            throw SetupError("cannot hand an AF_XDP socket to the kernel program");
    }

    void run() override
    {
        const auto echo = [this](std::uint64_t address, std::uint32_t length) {
            echo_one(address, length);
        };
        while (!stops_.load(std::memory_order_relaxed)) {
            const std::uint32_t taken = socket_.take(echo);
            socket_.kick();
            socket_.reap();
            if (taken == 0 && !socket_.wants_kick())
                wait();
        }
        for (int i = 0; i < last_kicks && socket_.wants_kick(); i++)
            socket_.kick();
    }

    void stop() override
    {
        const std::uint64_t one = 1;
        stops_ = true;
        static_cast<void>(write(stop_event_.get(), &one, sizeof(one)));
    }

private:
    void echo_one(std::uint64_t address, std::uint32_t length)
    {
        std::uint8_t *bytes = socket_.bytes(address);
        wire_cursor frame{bytes, bytes + length};
        packet packet{};
        if (echo_frame_is_query(frame, port_, &packet) == 0) {
            socket_.give_back(address);
            return;
        }
        const int padding = packet_padding(&packet, length);
        frame.end -= padding;
        if (padding < 0 || echo_frame(frame, &packet) == 0) {
            counters_.value[ECHO_IGNORED]++;
            socket_.give_back(address);
        } else if (!socket_.send(address, static_cast<std::uint32_t>(frame.end - frame.pos), 1)) {
            counters_.value[ECHO_UNSENT]++;
            socket_.give_back(address);
        } else {
            counters_.value[ECHO_SENT]++;
        }
    }

    void wait()
    {
        std::array<pollfd, 2> events{{{stop_event_.get(), POLLIN, 0}, {socket_.fd(), POLLIN, 0}}};
        poll(events.data(), events.size(), -1);
    }

    std::uint16_t port_;
    echo_counters &counters_;
    UniqueFd stop_event_;
    XdpSocket socket_;
    std::atomic<bool> stops_ = false;
};

} // namespace

std::unique_ptr<EchoWorker> make_af_xdp_echo(const EchoSeat &seat)
{
    return std::make_unique<AfXdpEcho>(seat);
}

} // namespace dnsgauge
