// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers never wait: each takes all of its CPU.
#include "echo/socket_worker.h"

namespace dnsgauge
{

namespace
{

class NonblockingEcho : public SocketEcho
{
public:
    explicit NonblockingEcho(const EchoSeat &seat) : SocketEcho(seat) {}

    void run() override
    {
        while (!stops())
            echo_one(MSG_DONTWAIT, MSG_DONTWAIT);
    }
};

} // namespace

std::unique_ptr<EchoWorker> make_nonblocking_echo(const EchoSeat &seat)
{
    return std::make_unique<NonblockingEcho>(seat);
}

} // namespace dnsgauge
