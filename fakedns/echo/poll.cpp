// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait in poll(), and then receive one datagram.
#include "echo/socket_worker.h"

#include <poll.h>

namespace dnsgauge
{

namespace
{

class PollEcho : public SocketEcho
{
public:
    explicit PollEcho(const EchoSeat &seat) : SocketEcho(seat) {}

    void run() override
    {
        pollfd readable{socket(), POLLIN, 0};
        while (!stops()) {
            if (poll(&readable, 1, -1) == 1)
                echo_one(MSG_DONTWAIT, 0);
        }
    }
};

} // namespace

std::unique_ptr<EchoWorker> make_poll_echo(const EchoSeat &seat)
{
    return std::make_unique<PollEcho>(seat);
}

} // namespace dnsgauge
