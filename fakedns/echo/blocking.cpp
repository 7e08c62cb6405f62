// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait in recvfrom().
#include "echo/socket_worker.h"

namespace dnsgauge
{

namespace
{

class BlockingEcho : public SocketEcho
{
public:
    explicit BlockingEcho(const EchoSeat &seat) : SocketEcho(seat) {}

    void run() override
    {
        while (!stops())
            echo_one(0, 0);
    }
};

} // namespace

std::unique_ptr<EchoWorker> make_blocking_echo(const EchoSeat &seat)
{
    return std::make_unique<BlockingEcho>(seat);
}

} // namespace dnsgauge
