// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// AF_XDP: echo.bpf.c hands the frames of each receive queue to the worker of that number, which
// sends them back from where they lie.
#include "base/stop_event.h"
#include "echo/frame.h"
#include "echo/worker.h"
#include "xsk/return_socket.h"

#include <poll.h>

#include <array>

namespace dnsgauge
{

namespace
{

class AfXdpEcho : public EchoWorker
{
public:
    explicit AfXdpEcho(const EchoSeat &seat)
        : port_(seat.options.port), counters_(seat.counters),
          socket_(seat.options.interface, seat.number, ReturnSocket::frames_least,
                  CopyMode::automatic)
    {
        hand_xdp_socket(seat.xdp_sockets, seat.number, socket_.fd());
    }

    void run() override
    {
        const auto echo = [this](std::uint64_t address, std::uint32_t length) {
            echo_one(address, length);
        };
        while (!stop_.is_asked()) {
            const std::uint32_t taken = socket_.take(echo);
            socket_.kick();
            socket_.reap();
            if (taken == 0 && socket_.is_cut_off())
                stop_.wait(ReturnSocket::cut_off_pause);
            else if (taken == 0 && !socket_.wants_kick())
                wait();
        }
        send_rest(socket_);
    }

    void stop() override { stop_.ask(); }

private:
    void echo_one(std::uint64_t address, std::uint32_t length)
    {
        std::uint8_t *bytes = socket_.bytes(address);
        wire_cursor frame{bytes, bytes + length};
        const FrameEcho echo = make_frame_echo(frame, port_);
        if (echo == FrameEcho::ignored)
            counters_.value[ECHO_IGNORED]++;
        if (echo != FrameEcho::made) {
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
        std::array<pollfd, 2> events{{{stop_.fd(), POLLIN, 0}, {socket_.fd(), POLLIN, 0}}};
        poll(events.data(), events.size(), -1);
    }

    std::uint16_t port_;
    echo_counters &counters_;
    StopEvent stop_;
    ReturnSocket socket_;
};

} // namespace

std::unique_ptr<EchoWorker> make_af_xdp_echo(const EchoSeat &seat)
{
    return std::make_unique<AfXdpEcho>(seat);
}

} // namespace dnsgauge
