// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// AF_XDP: echo.bpf.c hands the frames of each receive queue to the worker of that number, which
// sends them back from where they lie.
#include "echo/frame.h"
#include "xsk/return_socket.h"

namespace dnsgauge
{

namespace
{

class AfXdpEcho : public FrameEcho
{
public:
    explicit AfXdpEcho(const EchoSeat &seat)
        : FrameEcho(seat), socket_(seat.options.interface, seat.number, ReturnSocket::frames_least,
                                   CopyMode::automatic)
    {
        hand_xdp_socket(seat.xdp_sockets, seat.number, socket_.fd());
    }

private:
    bool take() override
    {
        return socket_.take([this](std::uint64_t address, std::uint32_t length) {
            std::uint8_t *const bytes = socket_.bytes(address);
            wire_cursor frame{bytes, bytes + length};
            if (!turn(frame) ||
                !count(socket_.send(address, static_cast<std::uint32_t>(frame.end - bytes), 1)))
                socket_.give_back(address);
        }) != 0;
    }
    void kick() override
    {
        socket_.kick();
        socket_.reap();
    }
    [[nodiscard]] bool wants_kick() const override { return socket_.wants_kick(); }
    [[nodiscard]] int fd() const override { return socket_.fd(); }
    void rest(const StopEvent &stop) override
    {
        if (socket_.is_cut_off())
            stop.wait(ReturnSocket::cut_off_pause);
        else
            FrameEcho::rest(stop);
    }

    ReturnSocket socket_;
};

} // namespace

std::unique_ptr<EchoWorker> make_af_xdp_echo(const EchoSeat &seat)
{
    return std::make_unique<AfXdpEcho>(seat);
}

} // namespace dnsgauge
